#!/bin/sh
# An agent of RFC-103 in shell that cannot read JSON: it says so, as the protocol has it, to whatever comes, and exits with 3
# (wrong: an error that is told in the answer is no reason for another exit code). It keeps its answer in a file of its
# working folder.
cat >/dev/null
cat answer.json
exit 3
