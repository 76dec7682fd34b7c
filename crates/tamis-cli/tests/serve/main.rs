//! The server with real clients: `spamc`, Postfix, Dovecot, a browser, and some that mean no good.

#[path = "../common/mod.rs"]
mod common;
mod harness;

mod access;
mod api;
mod attacks;
mod autolearn;
mod dovecot;
mod empty;
mod history;
mod hostile;
mod journal;
mod labels;
mod load;
mod package;
mod page;
mod postfix;
mod process;
mod reload;
mod spamc;
