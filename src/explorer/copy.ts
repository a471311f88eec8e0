/** Puts a button above each piece of code that copies it. */
export function addCopyButtons(within: ParentNode): void {
  // Pages from plain http have no clipboard.
  if (!navigator.clipboard) return;
  for (const code of within.querySelectorAll('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(code.querySelector('pre')?.textContent ?? '');
      button.textContent = 'Copied';
    });
    code.firstElementChild?.append(button);
  }
}
