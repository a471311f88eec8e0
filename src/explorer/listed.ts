import { askNode } from './listed/ask-node.js';
import { nodeRows, showSaid } from './listed/node-row.js';

/** On the page /listed: asks the nodes that it names, from the visitor's browser. */
const uri = document.getElementById('listed')?.dataset.uri;
const count = document.getElementById('count');
if (uri !== undefined) {
  const asked = [...nodeRows()].map(async ([node, row]) => {
    const said = await askNode(node, uri);
    showSaid(row, said);
    return said.is === 'listed';
  });
  const listed = (await Promise.all(asked)).filter(Boolean).length;
  if (count) count.textContent = `${listed} of ${asked.length} nodes list it.`;
}
