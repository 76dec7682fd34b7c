//! Without the token every route is closed but the two for probes, and other pages may not ask.

use super::harness::Server;
use serde_json::Value;

const TOKEN: &str = "a-token-of-some-length";

/// Every route and method of the description.
fn routes() -> Vec<(String, String)> {
    let document: Value = serde_json::from_str(tamis_server::http::OPENAPI).expect("JSON");
    let paths = document["paths"].as_object().expect("paths").clone();
    let routes = paths.into_iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().expect("methods").clone();
        methods.into_iter().map(move |(method, _)| (method.to_uppercase(), path.clone()))
    });
    routes.collect()
}

#[test]
fn without_the_token_every_route_is_closed() {
    let server = Server::with(&format!("token = {TOKEN:?}\n"), &[]);
    let routes = routes();
    assert!(routes.len() > 25);
    let bearer = format!("Bearer {TOKEN}");
    for (method, path) in routes {
        if ["/healthz", "/readyz"].contains(&path.as_str()) {
            assert_eq!(
                server.request(&method, &path, &[], b"").status,
                200,
                "{path} is for probes"
            );
            continue;
        }
        let path = path.replace("{id}", "1").replace("{name}", "x");
        for headers in [
            &[][..],
            &[("Authorization", "Bearer a-token-of-some-lengtH")],
            &[("Authorization", "Basic YTphLXRva2VuLW9mLXNvbWUtbGVuZ3R")],
        ] {
            let refused = server.request(&method, &path, headers, b"");
            assert_eq!(refused.status, 401, "{method} {path}");
            assert_eq!(refused.json()["status"], 401);
            assert!(refused.head.contains("www-authenticate: Basic"));
        }
        let let_in = server.request(&method, &path, &[("Authorization", &bearer)], b"");
        assert_ne!(let_in.status, 401, "{method} {path}");
    }
    let unknown = server.request("GET", "/nowhere", &[], b"");
    assert_eq!(unknown.status, 401, "who may not ask is not told what there is");
}

/// The description and the routes of the source are the same.
#[test]
fn every_route_is_described() {
    let source = include_str!("../../../tamis-server/src/http/mod.rs");
    let mut built: Vec<(String, String)> = source
        .lines()
        .filter_map(|line| line.trim().strip_prefix(".route(\""))
        .map(|rest| {
            let (path, rest) = rest.split_once('"').expect("a path");
            let method = if rest.contains("post(") { "POST" } else { "GET" };
            (method.to_owned(), path.to_owned())
        })
        .collect();
    let mut described = routes();
    built.sort();
    described.sort();
    assert_eq!(built, described);
}

#[test]
fn other_pages_and_other_names_may_not_ask() {
    let server = Server::start();
    let address = server.address("http").to_owned();
    let own = format!("http://{address}");
    let asked = |headers: &[(&str, &str)]| {
        server.request("POST", "/api/v1/mail/learn?label=spam", headers, b"Subject: x\n\ny").status
    };
    assert_eq!(asked(&[("Origin", &own)]), 200);
    assert_eq!(asked(&[("Origin", "https://evil.example")]), 403);
    assert_eq!(asked(&[("Origin", "null")]), 403);
    assert_eq!(asked(&[("Host", "evil.example")]), 403);
}

#[test]
fn tls_needs_the_token_and_a_certificate_that_is_one() {
    let folder = super::common::Folder::new();
    let made = std::process::Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"])
        .args([
            "-nodes",
            "-keyout",
            "key.pem",
            "-out",
            "cert.pem",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
        ])
        .current_dir(folder.path())
        .output()
        .expect("openssl: `make packages` installs it");
    assert!(made.status.success());
    folder.file("token", TOKEN);
    let flags = ["--certificate", "cert.pem", "--key", "key.pem", "--token-file", "token"];
    let server = Server::in_folder(folder, "", &flags);
    let ask = |arguments: &[&str]| {
        let port = server.address("http").rsplit_once(':').expect("a port").1;
        let ran = std::process::Command::new("curl")
            .args(["-s", "-o", "/dev/null", "-w", "%{http_code}", "--cacert", "cert.pem"])
            .args(arguments)
            .arg(format!("https://localhost:{port}/api/v1/state"))
            .current_dir(server.folder.path())
            .output()
            .expect("curl: `make packages` installs it");
        String::from_utf8_lossy(&ran.stdout).into_owned()
    };
    assert_eq!(ask(&["-H", &format!("Authorization: Bearer {TOKEN}")]), "200");
    assert_eq!(ask(&["-u", &format!("me:{TOKEN}")]), "200");
    assert_eq!(ask(&[]), "401");
    // What is no TLS is not answered.
    assert_eq!(server.raw("http", b"GET / HTTP/1.1\r\n\r\n").first(), Some(&0x15), "an alert");
    let folder = server.into_folder();
    folder.file("bad.pem", "no certificate");
    let refused = folder.refused(&[
        "serve",
        "--certificate",
        "bad.pem",
        "--key",
        "key.pem",
        "--store",
        "s",
        "--files",
        "f",
        "--listen",
        "127.0.0.1:0",
    ]);
    assert!(refused.contains("bad.pem"), "{refused}");
}
