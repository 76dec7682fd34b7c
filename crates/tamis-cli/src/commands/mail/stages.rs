//! Which stages give evidence.

use clap::{Args, ValueEnum};
use tamis_mail::filter::Stages;
use tamis_mail::store::Store;

#[derive(Debug, Args)]
pub struct StageArgs {
    /// Ask these stages only
    #[arg(long, value_enum, value_delimiter = ',', value_name = "STAGE")]
    pub stages: Vec<Stage>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// Who has sent it
    Sender,
    /// What it is like
    Similarity,
    /// What it says
    Words,
}

impl StageArgs {
    /// The chosen stages; all, if none is named.
    pub fn get(&self) -> Stages {
        if self.stages.is_empty() {
            return Stages::ALL;
        }
        let has = |stage| self.stages.contains(&stage);
        Stages {
            sender: has(Stage::Sender),
            similarity: has(Stage::Similarity),
            words: has(Stage::Words),
        }
    }
}

/// Switches the other stages of a store off.
pub fn choose(store: &mut Store, stages: &StageArgs) {
    store.filter_mut().set_stages(stages.get());
}
