package runbooks

import (
	"fmt"
	"strings"
	"testing"
)

// docs/RUNBOOK.md is written from the table of keys, so that it stays true.
func TestReferenceIsTheOneOfTheTable(t *testing.T) {
	t.Parallel()
	golden(t, "../docs/RUNBOOK.md", []byte(reference()))
}

const referenceHead = `# The runbook

<!-- Written from the table in runbooks/table.go by "go test ./runbooks -update". Do not edit. -->

A runbook says which broker is drained, on which cluster, how fast, and how it is stopped. This is the least that works;
everything else has a default:

` + "```yaml" + `
version: 1
broker: 1
cluster:
  bootstrap: ["kafka-2:9092", "kafka-3:9092"]
throttle: 50MB/s
stop:
  command: [ssh, "{host}", sudo, systemctl, stop, kafka]
` + "```" + `

` + "`drain validate RUNBOOK.yaml`" + ` says what is wrong with one, on which line, and what to write instead; ` + "`drain schema`" + ` prints
the JSON Schema (also in runbooks/schema.json) for your editor. The folder runbooks/ has examples.

## How values are written

* **Strictly.** An unknown key, a key given twice, a value of the wrong kind: each is an error with its line. Nothing is ignored.
* **Broker ids** are plain decimal digits: ` + "`1`" + `, not ` + "`\"1\"`" + `, ` + "`01`" + `, ` + "`0x1`" + ` or ` + "`1.0`" + `. YAML reads ` + "`010`" + ` as 8.
* **Durations** have units: ` + "`30s`" + `, ` + "`1h30m`" + `, ` + "`0.5s`" + `, ` + "`2d`" + ` (48 hours). The units are ms, s, m, h and d.
* **Rates and sizes** have units: ` + "`50MB/s`" + ` is 50,000,000 bytes a second, ` + "`48MiB/s`" + ` is 48 x 1,048,576.
* **Names** are taken letter for letter: a rack ` + "`NO`" + ` is NO, a topic ` + "`007`" + ` is 007.
* **Commands** are lists of words. No shell sees them; if you need one, say so: ` + "`[sh, -c, \"...\"]`" + `.
* **` + "`${NAME}`" + `** in a value is replaced from the environment, once; what comes from there is not looked at again. ` + "`$$`" + ` is a
  dollar sign. A name that is not set is an error. An id is one ` + "`${NAME}`" + ` or none; in ` + "`[...]`" + ` and ` + "`{...}`" + ` put quotes around it.
* **Secrets** are never written into a runbook: say where they are.
* One document of at most 1 MiB in UTF-8, without anchors, aliases, merge keys and tags.

A key that fits on a line is a flag too; the flag beats the runbook, and a list that it gives replaces the list of the runbook.
`

func reference() string {
	var b strings.Builder
	b.WriteString(referenceHead + "\n## The keys\n\n")
	writeKeys(&b, keys(), Defaults())
	b.WriteString("\n## The keys of a run step\n\n`{run: {...}}` in `steps`:\n\n")
	writeKeys(&b, runKeys(), RunStep{Timeout: DefaultRunTimeout})
	b.WriteString("\n## The words to choose from\n")
	for _, k := range keys() {
		if len(k.value.choices) > 0 {
			writeChoices(&b, k)
		}
	}
	return b.String()
}

func writeKeys[S any](b *strings.Builder, rows []row[S], defaults S) {
	b.WriteString("| key | value | default | flag | |\n| --- | --- | --- | --- | --- |\n")
	for _, row := range rows {
		k := describe(row, defaults)
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", k.Path, cell(k.Want), code(k.Default), code(flagText(k.Flag)), cell(k.Doc))
	}
}

func writeChoices(b *strings.Builder, k row[Runbook]) {
	fmt.Fprintf(b, "\n`%s`:\n\n", k.path)
	for _, c := range k.value.choices {
		line := "* `" + c.word + "`"
		if c.doc != "" {
			line += ": " + c.doc
		}
		b.WriteString(line + "\n")
	}
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + cell(s) + "`"
}

func flagText(flag string) string {
	if flag == "" {
		return ""
	}
	return "--" + flag
}
