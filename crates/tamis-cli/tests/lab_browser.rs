//! The report of the lab in a real browser. `make packages` installs it.

mod common;

use common::Folder;
use std::process::{Command, Stdio};

/// Says in the page's own title what a person would see of it.
const PROBE: &str = "<script>
const seen = [...document.querySelectorAll('section')].filter(section => section.offsetHeight > 100);
const plots = [...document.querySelectorAll('section svg, section img')];
const drawn = plots.filter(plot => plot.getBoundingClientRect().width > 200);
const root = document.documentElement;
document.title = ['probe', seen.map(section => section.id).join(','), plots.length, drawn.length,
  root.scrollWidth, root.clientWidth].join('|');
</script>";

/// The title of the page in a window of this width, and what the console has said.
fn visited(folder: &Folder, width: u32) -> (String, String) {
    let ran = Command::new("chromium")
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"])
        .args(["--disable-background-networking", "--no-first-run"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("--window-size={width},1500"))
        .args(["--virtual-time-budget=10000", "--dump-dom"])
        .arg(format!("file://{}", folder.path().join("lab/probed.html").display()))
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
    folder.run(&["lab", "report", "--quick", "-o", "lab"]);
    let page = String::from_utf8(folder.read("lab/report.html")).expect("text");
    folder.file("lab/probed.html", page.replace("</body>", &format!("{PROBE}</body>")));
    let list = folder.ok(&["lab", "list"]);
    // Chromium has no window narrower than 500 pixels without a screen; the page must fit all the same.
    for width in [1280, 500] {
        let (title, said) = visited(&folder, width);
        assert_eq!(said, "", "the console at {width} pixels");
        let seen: Vec<&str> = title.split('|').collect();
        let [_, sections, plots, drawn, needed, there] = seen[..] else { panic!("{title}") };
        for name in list.lines().filter_map(|line| line.split_whitespace().next()) {
            assert!(sections.split(',').any(|id| id == name), "{name} is not in {sections}");
        }
        assert_eq!(plots, drawn, "plots that are seen at {width} pixels");
        assert_ne!(plots, "0");
        assert_eq!(needed, there, "the page is wider than {width} pixels");
    }
}
