/**
 * What readers are told in one language. Counts stand behind a colon, as not every language has just
 * one plural. What a person wrote is an argument, so that each language has it where it belongs.
 */
export interface Texts {
  // Pages.
  /** What the changelog is, for previews of a page without entries. */
  readonly about: string;
  /** A link for keyboards, past what all pages begin with. */
  readonly skip: string;
  /** Stands before the links to the feeds. */
  readonly feeds: string;
  /** Names a list of labels. */
  readonly labels: string;
  /** The heading of the page of a label. */
  readonly labelled: (label: string) => string;
  /** Names the links to other pages. */
  readonly pages: string;
  readonly newerEntries: string;
  readonly olderEntries: string;
  readonly allEntries: string;
  /** Stands above the title of the next newer entry. */
  readonly newerEntry: string;
  readonly olderEntry: string;
  /** A link to where an entry leads. */
  readonly readMoreAt: (host: string) => string;
  readonly nothingYet: string;
  readonly nothingYetHint: string;
  readonly nothingLabelled: string;
  /** The name of the field and of the button that search the changelog. */
  readonly search: string;
  /** The heading of a page of what was found. */
  readonly found: (q: string) => string;
  readonly nothingFound: string;
  readonly nothingFoundHint: string;
  /** Stands above an entry that is shown by a preview link. */
  readonly preview: string;

  // Pages in place of what was asked for.
  readonly notFound: string;
  readonly notFoundHint: string;
  /** The request is wrong: its address, or what was sent. */
  readonly unreadable: string;
  readonly unreadableHint: string;
  readonly unavailable: string;
  readonly unavailableHint: string;
  /** A link to the changelog. */
  readonly whatIsNew: string;

  // Sign-up.
  readonly signUp: string;
  readonly signUpHint: string;
  readonly email: string;
  readonly name: string;
  readonly subscribe: string;
  /** The label of the field that only machines fill in. */
  readonly leaveEmpty: string;
  readonly badEmail: string;
  readonly badName: string;
  readonly lookForMail: string;
  readonly lookForMailHint: string;
  /** Asks the person who opened the link of a mail. */
  readonly confirm: string;
  readonly confirmHint: (userEmail: string) => string;
  readonly confirmed: string;
  readonly confirmedHint: string;
  readonly expired: string;
  readonly expiredHint: string;
  /** Stands where a link is not one of ours. */
  readonly badLink: string;
  readonly badLinkHint: string;

  // Unsubscribing.
  readonly unsubscribe: string;
  readonly unsubscribeQuestion: string;
  readonly unsubscribeHint: string;
  readonly unsubscribed: string;
  readonly unsubscribedHint: string;
  /** The link, or button, that ends what a person asked to be told of. */
  readonly endAsks: string;
  readonly asksEnded: string;
  /** The heading of the choices, and the words of the link to them. */
  readonly choose: string;
  readonly everything: string;
  readonly onlyLabels: string;
  readonly howOften: string;
  readonly paceEach: string;
  readonly paceWeekly: string;
  readonly save: string;
  readonly saved: string;
  /** Stands above the choices when more labels are ticked than may be. */
  readonly tooManyLabels: (max: number) => string;
  /** Stands above the choices when labels are wanted and none is ticked. */
  readonly noLabel: string;
  readonly weekSoFar: string;
  /** The subject of the mail of a week. */
  readonly weekly: (title: string) => string;

  // The mail of an entry.
  /** What the inbox shows beside the subject where the entry has no text. */
  readonly preheader: (title: string) => string;
  readonly readOnWeb: string;
  readonly learnMore: string;
  /** The line above the news for somebody who asked for it on a day. */
  readonly youAsked: (day: string, title: string) => string;
  readonly whyYouGetThis: (title: string) => string;
  readonly notTracked: string;
  /** What the subject of a test begins with, in brackets. */
  readonly test: string;

  // The mails of sign-up.
  readonly confirmSubject: (title: string) => string;
  readonly confirmRequest: (title: string, userEmail: string) => string;
  /** The link, or button, of the mail. */
  readonly confirmLink: string;
  readonly confirmIgnore: string;
  readonly alreadySubject: (title: string) => string;
  readonly alreadyText: (title: string, userEmail: string) => string;

  // The widget.
  readonly unread: (count: string) => string;
  readonly close: string;
}

/** Keeps the direction of a text that a person wrote from mixing with that of the sentence around it. */
export function isolate(text: string): string {
  return `\u2068${text}\u2069`;
}
