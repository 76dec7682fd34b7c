//! A module per part, a file per verb.

pub mod cascade;
pub mod filter;
pub mod generate;
pub mod lab;
pub mod mail;
pub mod plan;
pub mod serve;
pub mod similar;
