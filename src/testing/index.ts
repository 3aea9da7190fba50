/** The public test kit. */
export {};
