//! Similarity: the examples of the lecture and the report, the statistics of signatures, the index.

mod index;
mod lecture;
mod signatures;
