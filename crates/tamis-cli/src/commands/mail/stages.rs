//! Which stages give evidence.

use clap::{Args, ValueEnum};
use tamis_mail::filter::Stages;
use tamis_mail::stages::Stage as Learning;
use tamis_mail::store::Store;

#[derive(Debug, Args)]
pub struct StageArgs {
    /// Use these stages only
    #[arg(long, value_enum, value_delimiter = ',', value_name = "STAGE")]
    pub stages: Vec<Stage>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// Words and pairs of words
    Words,
    /// Character n-grams of the visible text
    Text,
    /// Character n-grams of the header fields
    Headers,
    /// The hosts that passed the message on
    Route,
    /// How the message was made
    Facts,
    /// Recipients, envelope and lists
    Addresses,
    /// What came from the same address before
    Sender,
    /// Near-copies of learned messages
    Similarity,
    /// Suspicious facts that need no learning
    Structure,
}

impl StageArgs {
    /// The chosen stages; all by default.
    pub fn get(&self) -> Stages {
        if self.stages.is_empty() {
            return Stages::ALL;
        }
        let mut chosen = Stages::NONE;
        for stage in &self.stages {
            let learning = match stage {
                Stage::Words => Learning::Words,
                Stage::Text => Learning::Text,
                Stage::Headers => Learning::Headers,
                Stage::Route => Learning::Route,
                Stage::Facts => Learning::Facts,
                Stage::Addresses => Learning::Addresses,
                Stage::Sender => {
                    chosen.sender = true;
                    continue;
                }
                Stage::Similarity => {
                    chosen.similarity = true;
                    continue;
                }
                Stage::Structure => {
                    chosen.structure = true;
                    continue;
                }
            };
            chosen.learning[learning as usize] = true;
        }
        chosen
    }
}

/// Switches the other stages of a store off.
pub fn choose(store: &mut Store, stages: &StageArgs) {
    store.filter_mut().set_stages(stages.get());
}
