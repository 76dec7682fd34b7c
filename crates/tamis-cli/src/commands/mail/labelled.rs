//! `--spam PATH...`, `--ham PATH...` and `--label NAME PATH...`, each any number of times.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use std::path::PathBuf;
use tamis_mail::merged::Group;

/// Messages with their labels.
#[derive(Debug, Default)]
pub struct Labelled {
    pub groups: Vec<Group>,
}

const LABELS: [&str; 2] = ["spam", "ham"];

impl FromArgMatches for Labelled {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut labelled = Self::default();
        for label in LABELS {
            let paths = matches.get_many::<String>(label).into_iter().flatten();
            labelled.add(label, paths.map(PathBuf::from).collect());
        }
        for group in matches.get_occurrences::<String>("label").into_iter().flatten() {
            let mut values = group.cloned();
            let label = values.next().unwrap_or_default();
            labelled.add(&label, values.map(PathBuf::from).collect());
        }
        Ok(labelled)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Labelled {
    fn add(&mut self, label: &str, paths: Vec<PathBuf>) {
        if paths.is_empty() {
            return;
        }
        match self.groups.iter_mut().find(|group| group.label == label) {
            Some(group) => group.paths.extend(paths),
            None => self.groups.push(Group { label: label.to_owned(), paths }),
        }
    }
}

impl Args for Labelled {
    fn augment_args(command: Command) -> Command {
        let paths = |name: &'static str, help: &'static str| {
            Arg::new(name)
                .long(name)
                .value_name("PATH")
                .num_args(1..)
                .action(ArgAction::Append)
                .help(help)
        };
        command
            .arg(paths("spam", "Spam: files, mbox files, Maildirs, folders, - for standard input"))
            .arg(paths("ham", "Wanted messages without another label"))
            .arg(
                Arg::new("label")
                    .long("label")
                    .value_names(["NAME", "PATH"])
                    .num_args(2..)
                    .action(ArgAction::Append)
                    .help("Messages with a label of your own, such as social or promotions"),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
