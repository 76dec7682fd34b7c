//! Which store is meant.

use anyhow::ensure;
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct Place {
    /// The folder of the store, or the folder of all stores with --user
    #[arg(long, value_name = "DIR")]
    store: PathBuf,

    /// The store of this user, in a folder of that name
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
}

impl Place {
    /// The folder of the store.
    pub fn folder(&self) -> anyhow::Result<PathBuf> {
        let Some(user) = &self.user else { return Ok(self.store.clone()) };
        // One name in the folder of stores, and no way out of it.
        let one_name = Path::new(user).file_name().is_some_and(|name| name == user.as_str());
        ensure!(
            one_name && !user.starts_with('.') && user.len() <= 255,
            "{user:?} is no name of a user: write a name without / that does not start with a dot"
        );
        Ok(self.store.join(user))
    }
}

/// The time now, in seconds since 1970.
pub fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
