require ["vnd.dovecot.pipe", "copy", "imapsieve", "environment", "variables"];
# What is thrown away was not wanted back.
if environment :matches "imap.mailbox" "*" {
  set "mailbox" "${1}";
}
if string "${mailbox}" "Trash" {
  stop;
}
pipe :copy "tamis-learn" ["--ham"];
