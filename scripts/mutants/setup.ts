import fc from 'fast-check';

// A property that fails has told what was asked: the smallest example for it would take most of the time.
fc.configureGlobal({ endOnFailure: true });
