//! Names of elements, as numbers that compare fast, and what they mean for the text.

/// The number of a name in lower case (FNV-1a).
pub(super) const fn id(name: &str) -> u32 {
    let bytes = name.as_bytes();
    let mut hash = 0x811C_9DC5u32;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    hash
}

/// The numbers of names.
const fn ids<const N: usize>(names: [&str; N]) -> [u32; N] {
    let mut found = [0; N];
    let mut at = 0;
    while at < N {
        found[at] = id(names[at]);
        at += 1;
    }
    found
}

/// Elements that separate words. All others, unknown ones included, may stand inside a word.
pub(super) static BLOCK: [u32; 61] = ids([
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "button",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "iframe",
    "img",
    "input",
    "legend",
    "li",
    "main",
    "map",
    "marquee",
    "menu",
    "nav",
    "object",
    "ol",
    "option",
    "p",
    "pre",
    "section",
    "select",
    "summary",
    "table",
    "tbody",
    "td",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "ul",
]);

/// Elements without content.
pub(super) static VOID: [u32; 15] = ids([
    "area", "base", "basefont", "br", "col", "embed", "frame", "hr", "img", "input", "link",
    "meta", "param", "source", "wbr",
]);

/// Tables and their parts.
pub(super) static TABLE: [u32; 8] =
    ids(["table", "caption", "tbody", "thead", "tfoot", "tr", "td", "th"]);

/// Elements that end an open paragraph.
static PARAGRAPH_ENDS: [u32; 26] = ids([
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "details",
    "dir",
    "div",
    "dl",
    "fieldset",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "ol",
    "p",
    "section",
    "table",
    "ul",
]);

static PARAGRAPH: [u32; 1] = ids(["p"]);
static CELLS: [u32; 2] = ids(["td", "th"]);
static ROWS: [u32; 3] = ids(["td", "th", "tr"]);
static GROUPS: [u32; 6] = ids(["td", "th", "tr", "tbody", "thead", "tfoot"]);
static ITEM: [u32; 1] = ids(["li"]);
static ONE_TABLE: [u32; 1] = ids(["table"]);
static LISTS: [u32; 4] = ids(["ul", "ol", "menu", "table"]);
static PARAGRAPH_SCOPE: [u32; 5] = ids(["table", "td", "th", "caption", "button"]);

/// The elements that the start of another one ends, and those around which they are left alone.
pub(super) fn ended_by(name: u32) -> Option<(&'static [u32], &'static [u32])> {
    const TD: u32 = id("td");
    const TH: u32 = id("th");
    const TR: u32 = id("tr");
    const TBODY: u32 = id("tbody");
    const THEAD: u32 = id("thead");
    const TFOOT: u32 = id("tfoot");
    const LI: u32 = id("li");
    match name {
        TD | TH => Some((&CELLS, &ONE_TABLE)),
        TR => Some((&ROWS, &ONE_TABLE)),
        TBODY | THEAD | TFOOT => Some((&GROUPS, &ONE_TABLE)),
        LI => Some((&ITEM, &LISTS)),
        _ if PARAGRAPH_ENDS.contains(&name) => Some((&PARAGRAPH, &PARAGRAPH_SCOPE)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_different_numbers() {
        let mut all: Vec<u32> =
            BLOCK.iter().chain(&VOID).chain(&[id("a"), id("b")]).copied().collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 61 + 15 + 2 - 5, "five elements are both");
    }
}
