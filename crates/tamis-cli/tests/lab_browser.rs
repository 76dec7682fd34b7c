//! The report of the lab in a real browser. `make packages` installs it.

mod common;

use common::Folder;
use std::process::{Command, Stdio};

/// Says what a person would see of the page.
const PROBE: &str = "<script>
const seen = [...document.querySelectorAll('section')].filter(section => section.offsetHeight > 100);
const plots = [...document.querySelectorAll('section svg, section img')];
const drawn = plots.filter(plot => plot.getBoundingClientRect().width > 200);
const root = document.documentElement;
parent.postMessage(['probe', seen.map(section => section.id).join(','), plots.length, drawn.length,
  root.scrollWidth, root.clientWidth].join('|'), '*');
</script>";

/// Shows the page at a width, which need not be one that a window can have, and takes over what it says.
fn frame(width: u32) -> String {
    format!(
        "<!doctype html><title>none</title>
<script>addEventListener('message', event => document.title = event.data);</script>
<iframe src=probed.html width={width} height=1500 style='border:0'></iframe>"
    )
}

/// What the page at this width says, and what the console has said.
fn visited(folder: &Folder, width: u32) -> (String, String) {
    folder.file("lab/frame.html", frame(width));
    let ran = Command::new("chromium")
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"])
        .args(["--disable-background-networking", "--no-first-run", "--hide-scrollbars"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg("--window-size=1400,1500")
        .args(["--virtual-time-budget=10000", "--dump-dom"])
        .arg(format!("file://{}", folder.path().join("lab/frame.html").display()))
        .stdin(Stdio::null())
        .output()
        .expect("chromium: `make packages` installs it");
    let page = String::from_utf8_lossy(&ran.stdout).into_owned();
    let title = page.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
    let title = title.map(|(title, _)| title.to_owned()).unwrap_or_default();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    (title, said.lines().filter(|line| line.contains("CONSOLE")).collect())
}

#[test]
fn a_browser_shows_every_section_and_has_nothing_to_complain_of() {
    let folder = Folder::new();
    folder.ok(&["lab", "report", "--quick", "-o", "lab"]);
    let page = String::from_utf8(folder.read("lab/report.html")).expect("text");
    folder.file("lab/probed.html", page.replace("</body>", &format!("{PROBE}</body>")));
    let list = folder.ok(&["lab", "list"]);
    for width in [1280, 390] {
        let (title, said) = visited(&folder, width);
        assert_eq!(said, "", "the console at {width} pixels");
        let seen: Vec<&str> = title.split('|').collect();
        let [_, sections, plots, drawn, needed, there] = seen[..] else { panic!("{title}") };
        for name in list.lines().filter_map(|line| line.split_whitespace().next()) {
            assert!(sections.split(',').any(|id| id == name), "{name} is not in {sections}");
        }
        assert_eq!(plots, drawn, "plots that are seen at {width} pixels");
        assert_ne!(plots, "0");
        assert_eq!(there, width.to_string(), "without a bar for scrolling");
        assert_eq!(needed, there, "the page is wider than {width} pixels");
    }
}
