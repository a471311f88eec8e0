/**
 * Takes the files that are dropped on the page, one at a time. How large a file is is looked at before it is read.
 * @param most bytes
 */
export function takeDropped(
  most: number,
  { take, refuse }: { take: (file: File) => unknown; refuse: (why: string) => unknown },
): (files: FileList | null | undefined) => void {
  const taken = (files: FileList | null | undefined): void => {
    const [file] = files ?? [];
    if (!file) return;
    if (file.size <= most) take(file);
    else refuse(`${file.name} is too large: ${most / 1000} kB is the most.`);
  };
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    taken(event.dataTransfer?.files);
  });
  return taken;
}
