# Links to headings as GitHub has them, page.md#some-heading, become labels: page_some-heading.
BEGIN {
  page = ARGV[1]
  sub(/\.md$/, "", page)
  count = split(page, folders, "/")
  page = folders[count]
  if (folders[count - 2] == "samples") page = folders[count - 1]  # whose pages have the same headings
}
/^```/ { code = !code }
code { print; next }
/^##+ / {
  label = tolower($0)
  sub(/^#+ /, "", label)
  gsub(/[^a-z0-9_ -]/, "", label)
  gsub(/ /, "-", label)
  print $0 " {#" page "_" label "}"
  next
}
{
  gsub(/\]\(#/, "](#" page "_")
  line = ""
  rest = $0
  while (match(rest, /\]\([a-z0-9_\/]*\.md#/)) {
    target = substr(rest, RSTART + 2, RLENGTH - 6)
    sub(/.*\//, "", target)
    line = line substr(rest, 1, RSTART + 1) "#" target "_"
    rest = substr(rest, RSTART + RLENGTH)
  }
  print line rest
}
