/** Puts a button beside each piece of code that copies it. */
export function addCopyButtons(within: ParentNode): void {
  // Pages from plain http have no clipboard.
  if (!navigator.clipboard) return;
  for (const pre of within.querySelectorAll('pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(pre.textContent ?? '');
      button.textContent = 'Copied';
    });
    pre.before(button);
  }
}
