// The name of a heading in an address, as the documents are linked where they are read as plain files: lower case, words joined
// by a dash, other signs left out.

export function slugOf(text) {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}
