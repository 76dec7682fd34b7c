//! What is looked at in a message beside its words: the features of each stage.
//!
//! | stage | features |
//! |---|---|
//! | [`grams`] | character n-grams of subject and visible text |
//! | [`route`] | the way that the message took: `Received` fields |
//! | [`facts`] | headers and structure: how it was made rather than what it says |
//! | [`addresses`] | recipients, envelope, lists |
//!
//! Apart from n-grams a feature is a *kind*, a fixed word that a person can read, and a value. A stage calls `visit`
//! with both; what is kept is a hash of them.

pub mod addresses;
pub mod facts;
pub mod grams;
pub mod head;
pub mod received;
pub mod route;
pub mod shape;

/// What is done with a feature.
pub type Visit<'v> = dyn FnMut(&'static str, &[u8]) + 'v;
