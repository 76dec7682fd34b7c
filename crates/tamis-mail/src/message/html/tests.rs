//! What is seen of a page, and what is not.

use super::read;

#[test]
fn one_reads_what_is_shown() {
    let page = read(
        "<html><head><title>no</title><style>p{}</style></head><body><p>Via<b>gra</b> &amp; caf&eacute;\
        <!-- secret --><br>next<span style='display: none'>hidden <span>deep</span></span>&#33;\
        <a href=\"https://user@Shop.Example:80/x\">here</a><img src=http://t.example/p.gif width=1></body>",
    );
    let words: Vec<&str> = page.text.split_whitespace().collect();
    assert_eq!(words, ["Viagra", "&", "café", "next!here"]);
    assert_eq!(page.links, ["shop.example", "t.example"]);
    for note in ["comment", "hidden_text", "tracking_pixel", "a"] {
        assert!(page.notes.iter().any(|n| n == note), "{note}: {:?}", page.notes);
    }
}

#[test]
fn damage_is_read_as_far_as_it_goes() {
    assert_eq!(read("a < b and 2 > 1").text, "a < b and 2 > 1");
    assert_eq!(read("cut <a href='x").text, "cut <a href='x");
    assert_eq!(read("<!-- never ends").text, "");
    assert_eq!(read("&bogus; &#xD800; &").text, "&bogus; &#xD800; &");
    assert_eq!(read("<p style=\"a>b\">text").text.trim(), "text");
}

fn words(source: &str) -> String {
    read(source).text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_hidden_is_counted_by_form_and_not_read() {
    for (form, hiding) in [
        ("attribute", "<div hidden>no</div>"),
        ("attribute", "<div hidden=hidden>no</div>"),
        ("display", "<div style='DISPLAY : NONE !important'>no<div>no</div>no</div>"),
        ("display", "<div style='dis/**/play:none'>no</div>"),
        ("display", r"<div style='d\69splay:no\6e e'>no</div>"),
        ("display", "<div style='display&#58;none'>no</div>"),
        ("display", "<div style=\"color:red;\n\tdisplay\n:\tnone\">no</div>"),
        ("display", "<style>.x{display:none}</style><p class='y X'>no</p>"),
        ("display", "<p id=z>no</p><style>#z{display:none}</style>"),
        ("display", "<style>div > .x{display:none}</style><div><p><b class=x>no</b></p></div>"),
        (
            "colour",
            "<link rel=stylesheet href=x><style>td p{background:red}</style><font color=white>no</font>",
        ),
        (
            "display",
            "<style>font.x,b{display:none!important}</style><b style='display:block'>no</b>",
        ),
        ("visibility", "<p style=visibility:hidden>no<p>"),
        ("visibility", "<span style=visibility:collapse>no</span>"),
        ("font-size", "<span style=\"color:red;font-size:0px\">no</span>"),
        ("font-size", "<span style='font-size: 0'>no<b>no</b></span>"),
        ("font-size", "<span style='font-size:2px'>no</span>"),
        ("font-size", "<span style='font-size:0.01em'>no</span>"),
        ("font-size", "<span style='font-size:1%'>no</span>"),
        ("font-size", "<span style='font:1px/1px Arial'>no</span>"),
        ("font-size", "<div style='font-size:10%'><b style='font-size:10%'>no</b></div>"),
        ("line-height", "<div style='line-height:0'>no</div>"),
        ("opacity", "<i style=opacity:0.0>no</i>"),
        ("opacity", "<i style=opacity:.01>no</i>"),
        ("opacity", "<i style='filter:alpha(opacity=0)'>no</i>"),
        ("size", "<div style='max-height:0;overflow:hidden'>no</div>"),
        ("size", "<div style='width:1px;overflow:hidden'>no</div>"),
        ("position", "<div style='position:absolute;left:-9999px'>no</div>"),
        ("position", "<div style='position:fixed; top:-100em'>no</div>"),
        ("text-indent", "<div style='text-indent:-9999px'>no</div>"),
        ("margin", "<div style='margin-left:-5000px'>no</div>"),
        ("margin", "<div style='margin:0 0 0 -5000px'>no</div>"),
        ("clip", "<div style='position:absolute;clip:rect(0,0,0,0)'>no</div>"),
        ("clip", "<div style='clip:rect(1px 1px 1px 1px)'>no</div>"),
        ("clip", "<div style='clip-path:inset(50%)'>no</div>"),
        ("clip", "<div style='clip-path: circle(0)'>no</div>"),
        ("transform", "<div style='transform:scale(0)'>no</div>"),
        ("mso-hide", "<span style='mso-hide:all'>no</span>"),
        ("unread", "<noscript>no</noscript>"),
        ("unread", "<template><p>no</p></template>"),
        ("colour", "<font color=white>no</font>"),
        ("colour", "<font color='#FFFFFE'>no</font>"),
        ("colour", "<font color=white><font size=1>no</font>no</font>"),
        ("colour", "<font color=white>no<b>no</b><td>no</td></font>"),
        ("colour", "<span style='color:#123; background-color: rgb(17, 34, 51)'>no</span>"),
        ("colour", "<table bgcolor=#000000><td><font color=black>no</font></td></table>"),
        ("colour", "<table><td bgcolor=black>no</td></table>"),
        (
            "colour",
            "<div style='background:#00f url()'></div><div style='background:#ff0'><b style='color:yellow'>no</b></div>",
        ),
        ("colour", "<b style='color:transparent'>no</b>"),
        ("colour", "<b style='color:rgba(0,0,0,0)'>no</b>"),
        ("colour", "<b style='color:hsl(0,0%,100%)'>no</b>"),
        ("colour", "<b style='color:#fff8'>no</b>"),
        ("colour", "<style>td{background:#000}</style><font color=#fff>no</font>"),
        ("colour", "<style>.x{color:#fafafa}</style><font class=x>no</font>"),
    ] {
        let page = read(&format!("yes {hiding} yes"));
        let words: Vec<&str> = page.text.split_whitespace().collect();
        assert_eq!(words, ["yes", "yes"], "{hiding}");
        assert!(page.notes.iter().any(|note| note == "hidden_text"), "{hiding}");
        assert_eq!(page.hidden_forms.iter().copied().collect::<Vec<_>>(), [form], "{hiding}");
        assert!(page.hidden_bytes >= 2, "{hiding}");
    }
}

#[test]
fn what_is_shown_is_read() {
    for shown in [
        "<span style='font-size:0.9em'>text</span>",
        "<span style='font-size:10px; opacity:0.5'>text</span>",
        "<td bgcolor=black><font color=white>text</font></td>",
        "<div style='background:url(x.png)'><font color=white>text</font></div>",
        "<style>td{background:#000}</style><td><font color=#fff>text</font>",
        "<style>table td{background:#000}</style><table><td><font color=#fff>text</font></table>",
        "<style>td[x]{background:#000}</style><td><font color=#fff>text</font>",
        "<style>body{background:#000;color:#fff}</style>text",
        "<body bgcolor=black text=white>text</body>",
        "<div style='visibility:hidden'><b style='visibility:visible'>text</b></div>",
        "<td style='font-size:0;line-height:0'><p style='font-size:14px;line-height:1'>text</p></td>",
        "<div style='text-indent:-9999px'><p style='text-indent:0'>text</p></div>",
        "<style>@media print{p{display:none}}</style><p>text</p>",
        "<!--[if mso]><style>p{display:none}</style><![endif]--><p>text</p>",
        "<p aria-hidden=true>text</p>",
        "<details><summary></summary>text</details>",
        "<!-->text",
        "<!--->text<!---->",
        "<!-- x --!>text",
        "<div><span style='display:none'></div>text",
        "<p style='display:none'><div>text</div>",
        "<a style='mso-hide:all'>text</a>",
        "<div style='max-height:0'>text</div>",
        "<div style='left:-9999px'>text</div>",
        "<div style='position:relative;margin:-10px'>text</div>",
        "<div style='overflow:hidden;height:20px;width:100%'>text</div>",
        "<p hidden style='display:block'>text</p>",
        "<b style='background:black'><a href=x>text</a></b>",
        "<div style='display:none'><table><tr><td></table></div>text",
        "<div class=hidden data-hidden=1 title='hidden display:none'>text</div>",
        "<font color=#eeeeee>text</font>",
        "<font color=ffffff><a><font color=#000000>text</font></a> </font>",
        "<font color=white><b style='color:rebeccapurple'>text</b></font>",
        "<p style='color:white'><p>text",
        "<table><td bgcolor=black><font color=white>text</font><td><font color=black></font></table>",
        "<td bgcolor=black><table><tr><td><font color=white>text</font></td></table></td>",
        "<table><tr bgcolor=black><td><font color=white>text</font><tr><td><font color=black>",
    ] {
        assert_eq!(words(shown), "text", "{shown}");
        assert_eq!(read(shown).hidden_bytes, 0, "{shown}");
        assert!(!read(shown).notes.iter().any(|note| note == "hidden_text"), "{shown}");
    }
}

#[test]
fn pictures_that_no_one_sees_are_noted() {
    for (picture, tiny) in [
        ("<img width=1 height=1 src=http://t.example/>", true),
        ("<IMG HEIGHT='0px'>", true),
        ("<img style='width: 1px; height:1px'>", true),
        ("<img width=100 height=10>", false),
        ("<img width=1%>", false),
        ("<img width=1 height=10>", false),
        ("<img height=20 style='width:1px'>", false),
        ("<img alt=''>", false),
        ("<td width=1>", false),
    ] {
        let noted = read(picture).notes.iter().any(|note| note == "tracking_pixel");
        assert_eq!(noted, tiny, "{picture}");
    }
}

#[test]
fn tags_inside_words_vanish() {
    for word in [
        "vi<b>ag</b>ra",
        "vi<k>agra",
        "vi<!x>agra",
        "vi<!-- y -->agra",
        "vi<wbr>agra",
        "vi<span style='display:none'>xyz</span>agra",
        "<div style='display:inline'>vi</div><div style='display:inline'>agra</div>",
        "&#118;i&#x61;&shy;gra",
    ] {
        assert_eq!(words(word).replace('\u{ad}', ""), "viagra", "{word}");
    }
    assert_eq!(words("a<br>b<p>c<td>d<img>e"), "a b c d e");
}

#[test]
fn links_know_what_their_text_names() {
    let page = read(
        "<a href='http://evil.test/x'>https://www.bank.example/</a><a href=http://a.test>b</a>\
        <form action=https://f.test><a href='h&#116;tp://evil.test'><b>bank</b>.com</a>\
        <img src=http://i.test/x.png></form>",
    );
    let found: Vec<(&str, Option<&str>)> =
        page.targets.iter().map(|t| (t.host.as_str(), t.shown_host.as_deref())).collect();
    assert_eq!(
        found,
        [
            ("evil.test", Some("www.bank.example")),
            ("a.test", None),
            ("f.test", None),
            ("evil.test", Some("bank.com")),
        ]
    );
    assert!(page.targets[0].misleads() && !page.targets[1].misleads());
    assert_eq!((page.forms, page.images, page.tracking_pixels), (1, 1, 0));
    assert_eq!(page.links, ["a.test", "evil.test", "f.test", "i.test"]);
}

#[test]
fn a_picture_inside_of_a_tag_is_no_text() {
    let source = format!("a<img src=\"data:image/png;base64,{}\">b", "x".repeat(300_000));
    assert_eq!(read(&source).text, "a b");
}
