//! Similarity: the examples of the lecture and the report, and the statistics of signatures.

mod lecture;
mod signatures;
