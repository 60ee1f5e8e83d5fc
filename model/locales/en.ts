import type { Texts } from "./locale.ts";

/** The texts in English. */
export const en: Texts = {
  about: "What is new, newest first",
  skip: "Skip to content",
  feeds: "Follow by feed",
  labels: "Labels",
  labelled: (label) => `Labelled “${label}”`,
  pages: "Pages",
  newerEntries: "Newer entries",
  olderEntries: "Older entries",
  allEntries: "All entries",
  newerEntry: "Newer",
  olderEntry: "Older",
  readMoreAt: (host) => `Read more at ${host}`,
  nothingYet: "Nothing has been published yet",
  nothingYetHint: "Follow the feed to hear of the first entry.",
  nothingLabelled: "There is no entry with this label",
  search: "Search",
  found: (q) => `Results for “${q}”`,
  nothingFound: "Nothing was found",
  nothingFoundHint: "Try fewer words, or other ones.",
  preview: "This is a preview. The entry may not be published yet.",

  notFound: "There is nothing here",
  notFoundHint: "The entry may have been withdrawn, or the address is not complete.",
  unreadable: "This address does not work",
  unreadableHint: "A part of it is missing, or was changed on the way.",
  unavailable: "We can’t show this page right now",
  unavailableHint: "Please try again in a minute.",
  whatIsNew: "See what is new",

  signUp: "Get updates by e-mail",
  signUpHint: "One e-mail for each update. Unsubscribe at any time.",
  email: "E-mail address",
  name: "Name (optional)",
  subscribe: "Subscribe",
  leaveEmpty: "Leave this field empty",
  badEmail: "Enter an e-mail address like name@example.com.",
  badName: "Enter a name of up to 200 characters, without special control characters.",
  lookForMail: "Look for our e-mail",
  lookForMailHint:
    "Open the link in it to confirm. If you got one from us earlier today, its link shows this, too. " +
    "If none comes within a few minutes, look into the spam folder.",
  confirm: "Confirm your subscription",
  confirmHint: (userEmail) => `Updates will be sent to ${userEmail}.`,
  confirmed: "You are subscribed",
  confirmedHint:
    "We will send you an e-mail with each update. Every e-mail has a link to unsubscribe.",
  expired: "This link has expired",
  expiredHint: "Enter your address once more to get a new one.",
  badLink: "This link is not complete",
  badLinkHint: "Copy all of it from the e-mail.",

  unsubscribe: "Unsubscribe",
  unsubscribeQuestion: "No more e-mails?",
  unsubscribeHint: "We will no longer send you updates.",
  unsubscribed: "You are unsubscribed",
  unsubscribedHint: "We will no longer send you updates.",
  choose: "Choose what you get",
  everything: "Everything",
  onlyLabels: "Only updates with one of these labels:",
  howOften: "How often",
  paceEach: "An e-mail for each update",
  paceWeekly: "One e-mail a week",
  save: "Save",
  saved: "Your choice is saved.",
  tooManyLabels: (max) => `Too many labels, so nothing was saved. At most: ${max}`,
  noLabel: "Choose a label or “Everything”: nothing was saved.",
  weekSoFar: "This week so far",
  weekly: (title) => `The week at ${title}`,

  preheader: (title) => `News from ${title}`,
  readOnWeb: "Read it on the web",
  learnMore: "Learn more",
  whyYouGetThis: (title) => `You get this because you are subscribed to ${title}.`,
  notTracked: "This e-mail is not tracked: nobody learns whether you open it or follow its links.",
  test: "Test",

  confirmSubject: (title) => `Confirm your subscription to ${title}`,
  confirmRequest: (title, userEmail) =>
    `Somebody, we hope you, asked to send updates of ${title} to ${userEmail}.`,
  confirmLink: "Confirm subscription",
  confirmIgnore:
    "The link is valid for 7 days. If it was not you, ignore this e-mail: you will not be subscribed.",
  alreadySubject: (title) => `You are already subscribed to ${title}`,
  alreadyText: (title, userEmail) =>
    `Somebody, we hope you, asked to send updates of ${title} to ${userEmail}. ` +
    "You get them already, and there is nothing to do.",

  unread: (count) => `Unread: ${count}`,
  close: "Close",
};
