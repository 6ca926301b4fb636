#!/bin/sh
# An agent of RFC-103 in shell that cannot read JSON: it says so, as the protocol has it, to whatever comes, and exits with 3
# (an error that is told in the answer needs no exit code of its own, and may have one). It keeps its answer in a file of its
# working folder.
cat >/dev/null
cat answer.json
exit 3
