require ["vnd.dovecot.pipe", "copy"];
pipe :copy "tamis-learn" ["--spam"];
