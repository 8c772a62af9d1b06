# Plain comments as Doxygen reads them: of the file at its beginning, of what follows, or of what is before on the line.
1{
  /^(\/\/|\/\*) SPDX-/d
}
2{
  /^\/\//i\
/// \\file
  s/^\/\*$/\/**\
 * \\file/
}
/^ *(\/\/|\/\*) -----/d
# C++
/^ *\/\//{
  s/</\\</g
  s/^( *)\/\/+ ?/\1\/\/\/ /
  b
}
/^.*[^ :"].* +\/\/ /{
  h
  s/^.* +\/\/ //
  s/</\\</g
  x
  s/ +\/\/ .*$//
  G
  s/\n/ \/\/\/< /
  b
}
# C
s/^( *)\/\* /\1\/** /
s/ \/\* / \/**< /
