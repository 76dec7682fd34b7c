//! Evaluation on a stream: the messages of an index are judged and learned in their own order.
//!
//! The [`Index`] names the messages, a [`Plan`] decides what is learned and what is judged, and
//! [`Plan::steps`] turns both into a list of [`Step`]s. [`replay`] carries the steps out with Tamis;
//! a benchmark carries out the same steps with other filters. Messages are read one at a time, so
//! memory does not grow with their size.
//!
//! Every figure is that of the moment at which a message was judged: the verdict is by the cuts in
//! force then, and calibration compares the probabilities reported then. Nothing is judged again
//! after more was learned.

mod error;
mod index;
mod plan;
mod replay;

pub use error::StreamError;
pub use index::{Entry, Index};
pub use plan::{CUTS_EVERY, Draw, Feedback, Plan, Step};
pub use replay::{Replay, STRETCHES, Stretch, replay};
