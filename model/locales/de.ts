import type { Texts } from "./locale.ts";

// “Sie”, which nobody minds; sentences avoid it where they can.
/** The texts in German. */
export const de: Texts = {
  about: "Was sich geändert hat, Neuestes zuerst",
  skip: "Zum Inhalt springen",
  changelog: "Neuigkeiten",
  feeds: "Als Feed abonnieren",
  labels: "Schlagwörter",
  labelled: (label) => `Mit dem Schlagwort „${label}“`,
  pages: "Seiten",
  newerEntries: "Neuere Einträge",
  olderEntries: "Ältere Einträge",
  allEntries: "Alle Einträge",
  newerEntry: "Neuer",
  olderEntry: "Älter",
  readMoreAt: (host) => `Mehr dazu auf ${host}`,
  nothingYet: "Noch nichts veröffentlicht",
  nothingYetHint: "Im Feed erscheint der erste Eintrag, sobald es ihn gibt.",
  nothingLabelled: "Kein Eintrag hat dieses Schlagwort",
  search: "Suchen",
  found: (q) => `Ergebnisse für „${q}“`,
  nothingFound: "Nichts gefunden",
  nothingFoundHint: "Versuchen Sie es mit weniger oder anderen Wörtern.",
  preview: "Dies ist eine Vorschau. Der Eintrag ist vielleicht noch nicht veröffentlicht.",

  notFound: "Hier ist nichts",
  notFoundHint: "Der Eintrag wurde zurückgezogen, oder die Adresse ist nicht vollständig.",
  unreadable: "Diese Adresse funktioniert nicht",
  unreadableHint: "Ein Teil davon fehlt oder wurde unterwegs verändert.",
  unavailable: "Diese Seite lässt sich gerade nicht anzeigen",
  unavailableHint: "Bitte versuchen Sie es in einer Minute noch einmal.",
  whatIsNew: "Neuigkeiten ansehen",

  signUp: "Neuigkeiten per E-Mail",
  signUpHint: "Eine E-Mail für jede Neuigkeit. Jederzeit abbestellbar.",
  email: "E-Mail-Adresse",
  name: "Name (freiwillig)",
  subscribe: "Abonnieren",
  leaveEmpty: "Dieses Feld bitte leer lassen",
  badEmail: "Bitte geben Sie eine E-Mail-Adresse wie name@example.com ein.",
  badName: "Bitte geben Sie einen Namen mit höchstens 200 Zeichen und ohne Steuerzeichen ein.",
  lookForMail: "Sehen Sie in Ihr Postfach",
  lookForMailHint:
    "Bestätigen Sie mit dem Link darin. Haben Sie heute schon eine E-Mail von uns, zeigt deren Link auch " +
    "dies. Kommt keine in einigen Minuten an, sehen Sie bitte im Spam-Ordner nach.",
  confirm: "Abonnement bestätigen",
  confirmHint: (userEmail) => `Neuigkeiten gehen dann an ${userEmail}.`,
  confirmed: "Das Abonnement ist bestätigt",
  confirmedHint:
    "Sie erhalten eine E-Mail zu jeder Neuigkeit. In jeder steht ein Link zum Abbestellen.",
  expired: "Dieser Link ist abgelaufen",
  expiredHint: "Geben Sie Ihre Adresse noch einmal ein, um einen neuen zu erhalten.",
  badLink: "Dieser Link ist nicht vollständig",
  badLinkHint: "Bitte kopieren Sie ihn ganz aus der E-Mail.",

  unsubscribe: "Abbestellen",
  unsubscribeQuestion: "Keine E-Mails mehr?",
  unsubscribeHint: "Sie erhalten dann keine Neuigkeiten mehr.",
  unsubscribed: "Abbestellt",
  unsubscribedHint: "Sie erhalten keine Neuigkeiten mehr.",
  endAsks: "Keine E-Mails mehr zu dem, worum ich gebeten habe",
  asksEnded: "Wir senden Ihnen keine E-Mails mehr zu dem, worum Sie gebeten haben.",
  choose: "Auswählen, was Sie bekommen",
  everything: "Alles",
  onlyLabels: "Nur Neuigkeiten mit einem dieser Schlagwörter:",
  howOften: "Wie oft",
  paceEach: "Eine E-Mail für jede Neuigkeit",
  paceWeekly: "Eine E-Mail pro Woche",
  save: "Speichern",
  saved: "Ihre Auswahl ist gespeichert.",
  tooManyLabels: (max) => `Zu viele Schlagwörter; nichts wurde gespeichert. Höchstens: ${max}`,
  noLabel: "Wählen Sie ein Schlagwort oder „Alles“: Es wurde nichts gespeichert.",
  weekSoFar: "Bisher in dieser Woche",
  weekly: (title) => `Die Woche bei ${title}`,

  preheader: (title) => `Neues von ${title}`,
  readOnWeb: "Im Web lesen",
  learnMore: "Mehr dazu",
  youAsked: (day, title) => `Darum haben Sie am ${day} gebeten: ${title}`,
  whyYouGetThis: (title) => `Sie erhalten diese E-Mail, weil Sie ${title} abonniert haben.`,
  notTracked:
    "Ohne Tracking: Niemand erfährt, ob Sie diese E-Mail öffnen oder auf Links darin klicken.",
  test: "Test",

  confirmSubject: (title) => `Bitte bestätigen: Abonnement von ${title}`,
  confirmRequest: (title, userEmail) =>
    `Jemand, hoffentlich Sie, möchte Neuigkeiten von ${title} an ${userEmail} erhalten.`,
  confirmLink: "Abonnement bestätigen",
  confirmIgnore:
    "Der Link gilt 7 Tage. Wenn Sie das nicht waren, löschen Sie diese E-Mail einfach: " +
    "Ohne Bestätigung gibt es kein Abonnement.",
  alreadySubject: (title) => `Sie haben ${title} schon abonniert`,
  alreadyText: (title, userEmail) =>
    `Jemand, hoffentlich Sie, möchte Neuigkeiten von ${title} an ${userEmail} erhalten. ` +
    "Sie erhalten sie schon, es ist nichts weiter zu tun.",

  unread: (count) => `Ungelesen: ${count}`,
  close: "Schließen",
};
