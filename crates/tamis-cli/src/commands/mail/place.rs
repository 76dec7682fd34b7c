//! Which store is meant.

use clap::Args;
use std::path::PathBuf;
use tamis_mail::store::{Base, Learner, Settings, Store, folder_of, random_seed};

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
        Ok(folder_of(&self.store, user)?)
    }
}

/// What the store stands on.
#[derive(Debug, Args)]
pub struct OnBase {
    /// A store whose knowledge counts where this one has not learned anything else
    #[arg(long, value_name = "DIR")]
    base: Option<PathBuf>,
}

impl OnBase {
    fn open(&self) -> anyhow::Result<Option<Base>> {
        Ok(self.base.as_deref().map(Base::open).transpose()?)
    }

    /// Opens a store to judge; without lessons, its base judges.
    pub fn store(&self, place: &Place) -> anyhow::Result<Store> {
        let folder = place.folder()?;
        let Some(base) = self.open()? else { return Ok(Store::open(&folder)?) };
        match Store::open(&folder) {
            Err(tamis_mail::Error::NoStore { .. }) => Ok(base.into_alone()),
            opened => {
                let mut store = opened?;
                store.set_base(&base)?;
                Ok(store)
            }
        }
    }

    /// Opens a store to learn.
    pub fn learner(&self, place: &Place) -> anyhow::Result<Learner> {
        let mut learner = Learner::open(&place.folder()?)?;
        if let Some(base) = self.open()? {
            learner.set_base(&base)?;
        }
        Ok(learner)
    }

    /// As [`Self::learner`]; a store that is not there is made, with the tables and the seed of the base.
    pub fn learner_or_new(
        &self,
        place: &Place,
        table: u32,
        seed: Option<u64>,
        settings: Settings,
    ) -> anyhow::Result<Learner> {
        let folder = place.folder()?;
        if folder.join("tables.tamis").exists() {
            return self.learner(place);
        }
        Ok(match self.open()? {
            Some(base) => base.create(&folder, settings)?,
            None => Learner::create(&folder, table, seed.unwrap_or_else(random_seed), settings)?,
        })
    }
}
