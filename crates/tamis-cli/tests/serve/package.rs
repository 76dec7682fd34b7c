//! The Debian package and the container file. The package is built of the tested command by `make deb`'s own rules, installed
//! into a copy of this system that is thrown away, used with real Dovecot, and purged.

use super::common::{Folder, root};
use std::path::Path;
use std::process::{Command, Output};

fn must(output: std::io::Result<Output>, what: &str) -> String {
    let output =
        output.unwrap_or_else(|error| panic!("{what}: {error}; `make packages` installs it"));
    let said = [&output.stdout[..], &output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{what}: {}\n{said}", output.status);
    said
}

/// Builds the package of the tested command into a folder.
fn build(folder: &Path) -> std::path::PathBuf {
    let made = Command::new("make")
        .args(["--no-print-directory", "-C"])
        .arg(root())
        .arg("deb-of")
        .arg(format!("TAMIS={}", env!("CARGO_BIN_EXE_tamis")))
        .arg(format!("DEB={}", folder.display()))
        .env("COMPRESSION", "-Zgzip -z1")
        .output();
    let said = must(made, "make deb-of");
    let packages = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let mut packages = packages.filter(|path| path.extension().is_some_and(|end| end == "deb"));
    packages.next().unwrap_or_else(|| panic!("no package: {said}"))
}

#[test]
fn the_package_installs_works_with_dovecot_and_is_purged() {
    let folder = Folder::new();
    let package = build(folder.path());
    let copy = folder.path().join("copy");
    std::fs::create_dir(&copy).expect("a folder");
    let ran = Command::new("unshare")
        .args(["--mount", "--net", "--pid", "--fork", "--kill-child", "sh"])
        .arg(root().join("crates/tamis-cli/tests/serve/installed.sh"))
        .args([&copy, &package])
        .output();
    let said = must(ran, "installed.sh, which has to be run by root");
    assert!(said.contains("everything is gone\n"), "{said}");
    assert!(!Path::new("/usr/share/tamis/90-tamis.conf").exists(), "this system is untouched");
}

/// No engine runs here: what the file says is checked, and its last stage is acted out.
#[test]
fn the_container_is_built_in_stages_and_runs_without_root_on_a_root_that_is_read_only() {
    let text = std::fs::read_to_string(root().join("Containerfile")).expect("a file");
    let lines: Vec<&str> = text.lines().collect();
    let stages = lines.iter().filter(|line| line.starts_with("FROM ")).count();
    assert_eq!(stages, 2, "the compiler stays behind");
    let last = lines.iter().rposition(|line| line.starts_with("FROM ")).expect("a stage");
    let last = &lines[last..];
    let said = |name: &str| {
        let prefix = format!("{name} ");
        last.iter().filter_map(|line| line.strip_prefix(&prefix)).next_back().expect("a line")
    };
    let (user, group) = said("USER").split_once(':').expect("numbers");
    assert!(user.parse::<u32>().expect("a number") > 0, "not root");
    let state = said("VOLUME");
    let list = |name| serde_json::from_str::<Vec<String>>(said(name)).expect("a list");
    let [program] = &list("ENTRYPOINT")[..] else { panic!("one program") };
    assert!(
        last.iter().any(|line| line.starts_with("COPY --from=build ") && line.ends_with(program))
    );
    let mut arguments = list("CMD");
    let listen =
        arguments.iter_mut().find(|argument| argument.contains("0.0.0.0:")).expect("a port");
    "127.0.0.1:8080".clone_into(listen);
    let folder = Folder::new();
    let script = format!(
        "set -eu\nmount -t tmpfs none {copy}\nmkdir {copy}/c {copy}/w {copy}/root\n\
         mount -t overlay overlay -o lowerdir=/,upperdir={copy}/c,workdir={copy}/w {copy}/root\n\
         install -D -m 755 {tamis} {copy}/root{program}\nmkdir -p {copy}/root{state}\n\
         mount --rbind /dev {copy}/root/dev\nmount -t proc proc {copy}/root/proc\n\
         mount -o remount,ro {copy}/root\nmount -t tmpfs none {copy}/root{state}\n\
         chown {user}:{group} {copy}/root{state}\nchmod 700 {copy}/root{state}\nip link set lo up\n\
         cd {copy}/root\n\
         chroot . setpriv --reuid {user} --regid {group} --clear-groups --no-new-privs {program} {arguments} &\n\
         server=$!\ntries=0\n\
         until curl -sf http://127.0.0.1:8080/readyz; do tries=$((tries + 1)); [ $tries -lt 600 ]; sleep 0.1; done\n\
         printf 'Subject: x\\n\\npills' | curl -sf --data-binary @- 'http://127.0.0.1:8080/api/v1/mail/learn?label=spam'\n\
         [ \"$(stat -c %a:%u .{state}/mail.store)\" = 700:{user} ]\n\
         ! chroot . setpriv --reuid {user} --regid {group} --clear-groups touch /usr/x 2>/dev/null\n\
         kill $server\nwait $server\necho it ran\n",
        copy = folder.path().display(),
        tamis = env!("CARGO_BIN_EXE_tamis"),
        arguments = arguments.join(" "),
    );
    let ran = Command::new("unshare")
        .args(["--mount", "--net", "--pid", "--fork", "--kill-child", "sh", "-c", &script])
        .output();
    let said = must(ran, "the container's last stage, which has to be run by root");
    assert!(said.contains("it ran\n"), "{said}");
}
