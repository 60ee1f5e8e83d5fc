/**
 * The description of Boardcast in one sentence: for help, packages, the reference and the service's
 * unit.
 */
export const ABOUT =
  "A self-hosted service for feedback boards and a changelog that subscribers get by mail";

/** The version of the package. */
export const VERSION = "0.1.0";
