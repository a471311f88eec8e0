/** Told of each request when it comes; what it returns is told when its answer has been sent or given up. */
export type RequestWatch = (route: string, method: string) => (status: number, bytes: number) => void;
