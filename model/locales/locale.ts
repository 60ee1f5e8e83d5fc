import type { BoardTexts } from "./board_texts.ts";

/**
 * The texts of all pages and mails in one language. Numbers follow a colon, because plurals differ
 * between languages. Words that a person wrote are arguments, so that each language can place them.
 */
export interface Texts extends BoardTexts {
  // Pages.
  /** Describes the changelog in previews of a page without entries. */
  readonly about: string;
  /** The link by which keyboard users skip the start of the page. */
  readonly skip: string;
  /** The changelog, in the navigation of all pages. */
  readonly changelog: string;
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
  /** The heading of search results. */
  readonly found: (q: string) => string;
  readonly nothingFound: string;
  readonly nothingFoundHint: string;
  /** The notice above an entry that a preview link shows. */
  readonly preview: string;

  // Pages that replace a missing or failed page.
  readonly notFound: string;
  readonly notFoundHint: string;
  /** The address or the content of the request is wrong. */
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
  /** The label of the field that people must leave empty. */
  readonly leaveEmpty: string;
  readonly badEmail: string;
  readonly badName: string;
  readonly lookForMail: string;
  readonly lookForMailHint: string;
  /** The page of the link in a mail, which asks the person to confirm. */
  readonly confirmSignUp: string;
  readonly confirmSignUpHint: (userEmail: string) => string;
  readonly subscribed: string;
  readonly subscribedHint: string;
  readonly expired: string;
  readonly expiredHint: string;
  /** The page for a link that this service did not create. */
  readonly badLink: string;
  readonly badLinkHint: string;

  // Unsubscribing.
  readonly unsubscribe: string;
  readonly unsubscribeQuestion: string;
  readonly unsubscribeHint: string;
  readonly unsubscribed: string;
  readonly unsubscribedHint: string;
  /** The link or button that ends all requests to be told about posts. */
  readonly endAsks: string;
  readonly asksEnded: string;
  /** The heading of the choices, and the text of the link to them. */
  readonly choose: string;
  readonly everything: string;
  readonly onlyLabels: string;
  readonly howOften: string;
  readonly paceEach: string;
  readonly paceWeekly: string;
  readonly save: string;
  readonly saved: string;
  /** The error above the choices if too many labels are ticked. */
  readonly tooManyLabels: (max: number) => string;
  /** The error above the choices if labels are requested and none is ticked. */
  readonly noLabel: string;
  readonly weekSoFar: string;
  /** The subject of the mail of a week. */
  readonly weekly: (title: string) => string;

  // The mail of an entry.
  /** The preview beside the subject in an inbox, if the entry has no text. */
  readonly preheader: (title: string) => string;
  readonly readOnWeb: string;
  readonly learnMore: string;
  /** The line above the news for a person who asked about it on a day. */
  readonly youAsked: (day: string, title: string) => string;
  readonly whyYouGetThis: (title: string) => string;
  readonly notTracked: string;
  /** The start of the subject of a test mail, in brackets. */
  readonly test: string;

  // The mails of sign-up.
  readonly confirmSubject: (title: string) => string;
  readonly confirmRequest: (title: string, userEmail: string) => string;
  /** The link or button in the mail. */
  readonly confirmLink: string;
  readonly confirmIgnore: string;
  readonly alreadySubject: (title: string) => string;
  readonly alreadyText: (title: string, userEmail: string) => string;

  // The widget.
  readonly unread: (count: string) => string;
  readonly close: string;

  // Signing in, and mails to members of the team.
  readonly welcome: (title: string) => string;
  readonly invitationFor: (userName: string, userEmail: string) => string;
  readonly signIn: string;
  readonly firstTitle: (title: string) => string;
  readonly firstHint: string;
  readonly yourName: string;
  readonly yourAddress: string;
  readonly begin: string;
  readonly badUserName: string;
  readonly badAddress: string;
  readonly linkEnded: string;
  readonly linkEndedHint: string;
  readonly otherWays: string;
  readonly noAccess: string;
  readonly noAccessHint: string;
  readonly noAddress: string;
  readonly otherIdentity: string;
  readonly providerFailed: string;
  readonly providerFailedHint: string;

  readonly codeSubject: (code: string, title: string) => string;
  readonly codeText: string;
  readonly codeNote: string;
  readonly inviteSubject: (title: string) => string;
  readonly inviteText: (title: string) => string;
  readonly inviteLink: string;
  readonly inviteNote: string;

  readonly digestSubject: (title: string) => string;
  readonly digestHeld: (count: string) => string;
  readonly digestReported: (count: string) => string;
  readonly digestIdeas: string;
  readonly digestMailings: string;
  readonly digestWebhooks: string;
  readonly openStudio: string;
  readonly digestNote: string;
  readonly digestSettings: string;
}

/**
 * Isolates a text that a person wrote, so that its direction does not affect the sentence around
 * it.
 */
export function isolate(text: string): string {
  return `\u2068${text}\u2069`;
}
