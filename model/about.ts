/**
 * The description of Boardcast in one sentence: for help, packages, the reference and the service's
 * unit.
 */
export const ABOUT =
  "A self-hosted changelog with subscribers, mail and feedback boards, over HTTP";

/** The version of the package. */
export const VERSION = "0.1.0";
