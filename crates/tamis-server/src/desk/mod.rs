//! The desk: where messages are judged, learned and taken back, for one store or one for each user.
//!
//! 1. What was acknowledged is on disk.
//! 2. Who has taught something is judged by a filter that knows it.
//! 3. Other processes may learn into the same store at any time; it is noticed within a second.

mod action;
mod base;
pub(crate) mod guesses;
mod judged;
mod recent;
mod shelf;
mod verdicts;

pub use action::Mail;
pub use judged::{Beliefs, Judged, POINTS_OF_SPAM};
pub use recent::{Held, Recent};
pub use shelf::{Done, Shelf, Task};
pub use verdicts::Verdicts;

use crate::config::Config;
use crate::journal::Sharing;
use crate::{Error, Result};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tamis_mail::store::{Settings, now, user};

/// The most stores that are open at a time.
const MOST_OPEN: usize = 64;

/// What a new store is made with.
#[derive(Debug, Clone)]
pub(crate) struct Making {
    pub table: u32,
    pub settings: Settings,
    /// What it stands on.
    pub base: Option<Arc<base::Current>>,
    /// Of lessons that are shared with other hosts.
    pub sharing: Option<Arc<Sharing>>,
}

/// A user without a store, whose mail is judged by the base alone. Nobody has this name.
pub const NOBODY: &str = ".";

/// All stores.
#[derive(Debug)]
pub struct Desk {
    folder: PathBuf,
    per_user: bool,
    most_users: usize,
    making: Making,
    shelves: Mutex<HashMap<String, Arc<Shelf>>>,
    verdicts: Verdicts,
    guesses: guesses::Guesses,
}

impl Desk {
    /// The stores of a configuration that was checked; a single one is made if it is not there.
    ///
    /// # Errors
    /// What the store says.
    pub fn open(config: &Config) -> Result<Self> {
        let folder = config.store.clone().unwrap_or_default();
        let settings = Settings { ham_lost: config.ham_lost };
        let base = config.base.as_deref().map(base::Current::open).transpose()?.map(Arc::new);
        let sharing = Sharing::of(config)?.map(Arc::new);
        let making = Making { table: config.table, settings, base, sharing };
        let mut shelves = HashMap::new();
        // Made first: a store is only made in an empty folder.
        if !config.per_user {
            let shelf = Shelf::new(folder.clone(), String::new(), making.clone());
            shelf.make()?;
            shelves.insert(String::new(), Arc::new(shelf));
        }
        let verdicts = Verdicts::open(&config.recent, &config.history, &folder, now())?;
        Ok(Self {
            folder,
            per_user: config.per_user,
            most_users: config.most_users,
            making,
            shelves: Mutex::new(shelves),
            verdicts,
            guesses: guesses::Guesses::default(),
        })
    }

    /// Whether each user has a store.
    #[must_use]
    pub const fn per_user(&self) -> bool {
        self.per_user
    }

    /// The folder of the store, or of all stores.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder of a user's store, by the name that [`Self::users`] has.
    #[must_use]
    pub fn folder_of(&self, user: &str) -> PathBuf {
        if self.per_user { self.folder.join(user) } else { self.folder.clone() }
    }

    /// How lessons are shared, if they are.
    #[must_use]
    pub const fn sharing(&self) -> Option<&Arc<Sharing>> {
        self.making.sharing.as_ref()
    }

    /// All users with a store; one without a name, if all have one store.
    ///
    /// # Errors
    /// What the system says.
    pub fn users(&self) -> Result<Vec<String>> {
        if !self.per_user {
            return Ok(vec![String::new()]);
        }
        let entries = match std::fs::read_dir(&self.folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            read => read.map_err(|source| Error::Read { name: self.folder.clone(), source })?,
        };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        Ok(names.filter(|name| user(name).is_ok_and(|user| user == *name)).collect())
    }

    /// Whether the folder of all stores can be read; it need not exist before a user teaches something.
    ///
    /// # Errors
    /// What the system says.
    pub fn check_folder(&self) -> Result<()> {
        match std::fs::read_dir(&self.folder) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(source) => Err(Error::Read { name: self.folder.clone(), source }),
        }
    }

    /// The name under which a user is known, by the rule of [`user`]; as it is, if all have one store.
    ///
    /// # Errors
    /// What [`user`] says of the name.
    pub fn user(&self, name: Option<&str>) -> Result<Option<String>> {
        Ok(match name {
            Some(name) if self.per_user && name != NOBODY => Some(user(name)?),
            name => name.map(str::to_owned),
        })
    }

    /// The store of a user; of everybody, if there is but one. It need not be there yet.
    ///
    /// # Errors
    /// What [`Self::user`] says of the name.
    pub fn shelf(&self, user: Option<&str>) -> Result<Arc<Shelf>> {
        let user = self.user(user.filter(|name| self.per_user && !name.is_empty()))?;
        let folder = match (self.per_user, user.as_deref()) {
            (false, _) => self.folder.clone(),
            (true, None) => return Err(Error::Request { what: "whose store? Name a user".into() }),
            // No user's folder starts with a dot.
            (true, Some(NOBODY)) => self.folder.join(".nobody"),
            (true, Some(user)) => self.folder.join(user),
        };
        let user = user.as_deref().unwrap_or_default();
        let mut shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shelf) = shelves.get(user) {
            return Ok(Arc::clone(shelf));
        }
        if shelves.len() >= MOST_OPEN {
            // Those that nobody uses now can be opened again.
            shelves.retain(|_, shelf| Arc::strong_count(shelf) > 1);
        }
        let shelf = Arc::new(Shelf::new(folder, user.to_owned(), self.making.clone()));
        shelves.insert(user.to_owned(), Arc::clone(&shelf));
        Ok(shelf)
    }

    /// The store of a user who teaches it something.
    ///
    /// # Errors
    /// As [`Self::shelf`], and [`Error::TooManyUsers`].
    pub fn shelf_to_teach(&self, user: Option<&str>) -> Result<Arc<Shelf>> {
        let shelf = self.shelf(user.filter(|name| *name != NOBODY))?;
        if self.per_user && !shelf.exists() && users_in(&self.folder) >= self.most_users {
            return Err(Error::TooManyUsers { most: self.most_users });
        }
        Ok(shelf)
    }

    /// What was learned by itself.
    pub(crate) const fn guesses(&self) -> &guesses::Guesses {
        &self.guesses
    }

    /// The verdicts that were given.
    #[must_use]
    pub const fn verdicts(&self) -> &Verdicts {
        &self.verdicts
    }
}

fn users_in(folder: &Path) -> usize {
    let is_user = |name: std::ffi::OsString| !name.as_encoded_bytes().starts_with(b".");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| is_user(entry.file_name())).count()
}
