import { InvalidArgumentError } from 'commander';

/** Reads an argument of a command line. @param least what it must be at least */
export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number, ${least} at least.`);
  };
}
