// npm pack and npm publish in the repository itself: refused with the way that leads there. A dependency on the repository's
// address packs it, too, and may.

if (['pack', 'publish'].includes(process.env.npm_command)) {
  process.stderr.write(
    'This is the repository. What is published is made by: npm run package\nThen: npm publish ./dist/packages/coterie, and npm publish ./dist/packages/coterie-lab\n',
  )
  process.exit(1)
}
