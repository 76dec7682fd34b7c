//! The page.

use crate::experiment::Record;
use crate::files::VERSION;
use crate::outcome::{Cell, Findings, Table, Verdict};
use crate::plot;
use anyhow::Result;
use serde_json::Value;
use std::fmt::Write;

/// Rows of a table that are shown; the files have all of them.
const ROWS: usize = 60;

/// Tables of more rows are folded.
const OPEN: usize = 24;

const STYLE: &str = include_str!("style.css");

/// The page with these records.
///
/// # Errors
/// A chart that cannot be drawn.
pub fn html(records: &[Record]) -> Result<String> {
    let verdicts = || records.iter().flat_map(|record| &record.outcome.verdicts);
    let (all, held) = (verdicts().count(), verdicts().filter(|verdict| verdict.holds).count());
    let mut page = String::new();
    write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>Tamis lab report</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>Tamis lab report</h1>\n\
         <p>{} experiments on the library's own code, version {VERSION}. {held} of {all} verdicts hold.</p>\n</header>\n",
        records.len()
    )?;
    contents(&mut page, records)?;
    page.push_str("<main>\n");
    for record in records {
        section(&mut page, record)?;
    }
    page.push_str("</main>\n");
    footer(&mut page, records)?;
    page.push_str("</body>\n</html>\n");
    Ok(page)
}

fn contents(page: &mut String, records: &[Record]) -> Result<()> {
    page.push_str("<nav aria-label=\"Contents\">\n<h2>Contents</h2>\n<ol>\n");
    for record in records {
        let verdicts = &record.outcome.verdicts;
        let held = verdicts.iter().filter(|verdict| verdict.holds).count();
        let class = if held == verdicts.len() { "holds" } else { "fails" };
        writeln!(
            page,
            "<li><a href=\"#{}\">{}</a> <span class=\"{class}\">{held} of {} hold</span></li>",
            record.about.name,
            escaped(record.about.title),
            verdicts.len()
        )?;
    }
    page.push_str("</ol>\n</nav>\n");
    Ok(())
}

fn section(page: &mut String, record: &Record) -> Result<()> {
    let about = record.about;
    let name = about.name;
    writeln!(page, "<section id=\"{name}\" aria-labelledby=\"{name}-title\">")?;
    writeln!(page, "<h2 id=\"{name}-title\">{}</h2>", escaped(about.title))?;
    writeln!(page, "<p class=\"question\">{}</p>", escaped(about.question))?;
    for paragraph in about.theory {
        writeln!(page, "<p>{}</p>", escaped(paragraph))?;
    }
    verdicts(page, &record.outcome.verdicts)?;
    findings(page, &record.outcome.findings, about.title)?;
    if let Some(timings) = &record.outcome.timings {
        page.push_str("<h3>Measured times</h3>\n<p>They depend on the machine and are no part of any verdict.</p>\n");
        findings(page, timings, &format!("{}: times", about.title))?;
    }
    writeln!(
        page,
        "<p class=\"note\">Repeat it with <code>tamis lab run {name} --seed {}</code>. Parameters: {}.</p>\n</section>",
        record.seed,
        escaped(&parameters(&record.parameters))
    )?;
    Ok(())
}

fn verdicts(page: &mut String, verdicts: &[Verdict]) -> Result<()> {
    page.push_str("<h3>Verdicts</h3>\n<ul class=\"verdicts\">\n");
    for verdict in verdicts {
        let (class, word) = if verdict.holds { ("holds", "Holds") } else { ("fails", "Fails") };
        writeln!(
            page,
            "<li><strong class=\"{class}\">{word}</strong> {}. <span>Expected {}; measured {}. \
             Tolerance: {}.</span></li>",
            escaped(&sentence(&verdict.claim)),
            escaped(&verdict.expected),
            escaped(&verdict.measured),
            escaped(&verdict.tolerance)
        )?;
    }
    page.push_str("</ul>\n");
    Ok(())
}

fn findings(page: &mut String, findings: &Findings, title: &str) -> Result<()> {
    if !findings.chart.panels.is_empty() {
        page.push_str("<div class=\"plots\">\n");
        for panel in &findings.chart.panels {
            let label = escaped(&format!("{title}: {}", panel.title));
            let drawn = plot::svg(panel)?;
            let drawn =
                drawn.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{label}\" "), 1);
            writeln!(page, "<figure>{drawn}</figure>")?;
        }
        page.push_str("</div>\n");
    }
    for shown in &findings.tables {
        table(page, shown)?;
    }
    Ok(())
}

fn table(page: &mut String, table: &Table) -> Result<()> {
    let rows = table.rows.len();
    let open = if rows <= OPEN { " open" } else { "" };
    let more =
        if rows > ROWS { format!(", the first {ROWS} of {rows} rows") } else { String::new() };
    writeln!(page, "<details{open}><summary>{}{more}</summary>", escaped(&table.title))?;
    page.push_str("<div class=\"wide\"><table>\n<thead><tr>");
    for column in &table.columns {
        write!(page, "<th scope=\"col\">{}</th>", escaped(column))?;
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for row in table.rows.iter().take(ROWS) {
        page.push_str("<tr>");
        for cell in row {
            let class = if matches!(cell, Cell::Text(_)) { "" } else { " class=\"number\"" };
            write!(page, "<td{class}>{}</td>", escaped(&cell.to_string()))?;
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div></details>\n");
    Ok(())
}

fn footer(page: &mut String, records: &[Record]) -> Result<()> {
    page.push_str("<footer>\n<h2>Versions and seeds</h2>\n<ul>\n");
    writeln!(
        page,
        "<li>tamis {VERSION}, {} {}</li>",
        std::env::consts::OS,
        std::env::consts::ARCH
    )?;
    let mut seeds: Vec<u64> = records.iter().map(|record| record.seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    let seeds: Vec<String> = seeds.iter().map(ToString::to_string).collect();
    writeln!(page, "<li>seed {}</li>", seeds.join(", "))?;
    page.push_str(
        "<li>Beside this page stand the data: NAME.json, NAME.csv, NAME.svg and NAME.png for each experiment, and \
         NAME.timings for what depends on the machine.</li>\n</ul>\n</footer>\n",
    );
    Ok(())
}

fn parameters(parameters: &Value) -> String {
    let pairs = parameters.as_object().into_iter().flatten();
    pairs.map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
