/** `/` leads to the search, as on most sites that have one. */
export function focusSearchBySlash(): void {
  const field = document.querySelector<HTMLInputElement>('input[type="search"]');
  if (!field) return;
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target))
      return;
    event.preventDefault();
    field.focus();
    field.select();
  });
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.matches('input, textarea, select') || target.isContentEditable)
  );
}
