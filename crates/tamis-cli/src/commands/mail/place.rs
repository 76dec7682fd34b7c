//! Which store is meant.

use clap::Args;
use std::path::PathBuf;
use tamis_mail::store::folder_of;

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
