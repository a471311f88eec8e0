/** Shows on one line of a terminal what is going on; where there is no terminal, a line every few seconds. */
export interface Progress {
  readonly show: (text: string) => void;
  /** Clears the line. */
  readonly end: () => void;
}

const EVERY = { terminal: 100, file: 5000 } as const;

export function createProgress(output: NodeJS.WriteStream): Progress {
  const { isTTY, columns } = output;
  const every = isTTY ? EVERY.terminal : EVERY.file;
  let last = performance.now();
  return {
    show(text) {
      if (performance.now() - last < every) return;
      last = performance.now();
      if (isTTY) output.write(`\r\u001b[K${text.slice(0, columns - 1)}`);
      else output.write(`${text}\n`);
    },
    end() {
      if (isTTY) output.write('\r\u001b[K');
    },
  };
}
