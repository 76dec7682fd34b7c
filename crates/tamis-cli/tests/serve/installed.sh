#!/bin/sh
# Installs a package into a copy of this system that is thrown away, uses it as the guide tells, and purges it.
#
#   unshare --mount --net --pid --fork --kill-child sh installed.sh FOLDER PACKAGE
#
# FOLDER is for the copy. Nothing outside of it changes: the mounts, the network and the processes are namespaces of their own.
set -eu

if [ "${1:-}" != inside ]; then
  folder=$1
  mount -t tmpfs none "$folder"
  mkdir "$folder/changes" "$folder/work" "$folder/root"
  mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/changes,workdir=$folder/work" "$folder/root"
  cp "$2" "$folder/root/tamis.deb"
  cp "$0" "$folder/root/installed.sh"
  mount --rbind /dev "$folder/root/dev"
  mount -t proc proc "$folder/root/proc"
  mount -t tmpfs none "$folder/root/run"
  mkdir -p "$folder/root/run/lock"
  # Some systems keep their temporary files apart.
  mount -t tmpfs none "$folder/root/tmp"
  chmod 1777 "$folder/root/tmp"
  ip link set lo up
  exec chroot "$folder/root" /bin/sh /installed.sh inside
fi

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root
cd /

fail() {
  echo "$*" >&2
  cat /var/log/tamis.log >&2 || true
  tail -n 40 /var/log/dovecot.log >&2 || true
  exit 1
}

# Tries a command until it succeeds.
until_it_is_so() {
  tries=0
  until "$@" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || fail "never came true: $*"
    sleep 0.1
  done
}

echo "== installation"
dpkg -i /tamis.deb
tamis --version
for file in /etc/tamis.toml /usr/share/man/man1/tamis.1.gz /usr/share/man/man1/tamis-serve.1.gz \
  /usr/share/bash-completion/completions/tamis /usr/share/zsh/vendor-completions/_tamis \
  /usr/share/fish/vendor_completions.d/tamis.fish /usr/share/doc/tamis/copyright; do
  [ -s "$file" ] || fail "$file is not there"
done

echo "== the service, as the unit starts it"
unit=/lib/systemd/system/tamis.service
program=$(sed -n 's/^ExecStart=//p' $unit)
grep -qx 'DynamicUser=yes' $unit && grep -qx 'SupplementaryGroups=mail' $unit
mail=$(getent group mail | cut -d: -f3)
install -d -m 0700 -o 64321 -g 64321 /var/lib/tamis
install -d -m 0755 -o 64321 -g 64321 /run/tamis
as_service() {
  STATE_DIRECTORY=/var/lib/tamis exec setpriv --reuid 64321 --regid 64321 --groups "$mail" --no-new-privs "$@"
}
(as_service $program --check-config)
as_service $program 2>/var/log/tamis.log &
server=$!
until_it_is_so curl -sf http://127.0.0.1:8080/readyz
[ "$(stat -c %a:%G /run/tamis/spamd.sock)" = 660:mail ] || fail "$(ls -l /run/tamis)"

echo "== Dovecot, with what the package has installed"
useradd --create-home --groups mail anne
echo anne:secret | chpasswd
cp /usr/share/tamis/90-tamis.conf /etc/dovecot/conf.d/
cat >/etc/dovecot/local.conf <<'END'
ssl = no
disable_plaintext_auth = no
listen = 127.0.0.1
mail_location = maildir:~/Maildir
log_path = /var/log/dovecot.log
END
/usr/sbin/dovecot
imap() {
  curl -sS --fail --max-time 60 --user anne:secret "$@"
}
learned() {
  curl -sf http://127.0.0.1:8080/api/v1/mail/labels | tr -d ' \n' | tr '{}' '\n\n' | grep "\"name\":\"$1\"" |
    grep -q "\"messages\":$2\\b"
}
until_it_is_so imap --url imap://127.0.0.1/ -X 'CREATE Junk'
printf 'From: a@example.org\r\nMessage-ID: <1@example.org>\r\nSubject: cheap pills\r\n\r\ncheap pills for the winner of this prize\r\n' >/tmp/mail.eml
imap -T /tmp/mail.eml imap://127.0.0.1/INBOX
learned spam 0 || fail "nothing has been moved yet"
imap --url imap://127.0.0.1/INBOX -X 'MOVE 1 Junk'
until_it_is_so learned spam 1
imap --url imap://127.0.0.1/Junk -X 'MOVE 1 INBOX'
until_it_is_so learned ham 1
learned spam 0 || fail "a correction takes back"
su anne -s /bin/sh -c 'ls /var/lib/tamis' 2>/dev/null && fail "the store is not private"
dovecot stop
kill $server
wait $server || fail "the server did not end well"

echo "== removal keeps what was learned, purging does not"
dpkg -r tamis
[ -e /etc/tamis.toml ] && [ -d /var/lib/tamis ] || fail "a removal is no purge"
dpkg -P tamis
for file in /usr/bin/tamis /etc/tamis.toml /var/lib/tamis /usr/lib/tamis /usr/share/tamis /usr/share/man/man1/tamis.1.gz; do
  [ ! -e "$file" ] || fail "$file is still there"
done
echo "everything is gone"
