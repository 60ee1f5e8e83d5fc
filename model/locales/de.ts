import { isolate, type Texts } from "./locale.ts";

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
  confirmSignUp: "Abonnement bestätigen",
  confirmSignUpHint: (userEmail) => `Neuigkeiten gehen dann an ${userEmail}.`,
  subscribed: "Das Abonnement ist bestätigt",
  subscribedHint:
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

  // Boards, ideas and the roadmap.
  ideas: "Ideen",
  boardsHint:
    "Stimmen Sie für das, was Ihnen fehlt, oder schlagen Sie etwas vor. Ein Konto brauchen Sie nicht.",
  noBoards: "Noch gibt es kein Board",
  noBoardsHint: "Sehen Sie inzwischen, was neu ist.",
  roadmap: "Roadmap",
  roadmapHint: "Was wir erwägen, planen und umsetzen.",
  openIdeas: (count) => `Offene Ideen: ${count}`,
  addIdea: "Idee vorschlagen",
  sortVotes: "Meiste Stimmen",
  sortHot: "Gerade beliebt",
  sortNew: "Neueste",
  open: "Offen",
  considering: "Wird erwogen",
  planned: "Geplant",
  started: "In Arbeit",
  shipped: "Umgesetzt",
  declined: "Abgelehnt",
  allStatuses: "Alle",
  order: "Reihenfolge",
  searchIdeas: "Ideen durchsuchen",
  votes: (count) => `Stimmen: ${count}`,
  voteFor: (title) => `Für „${isolate(title)}“ stimmen`,
  imported: (count) => `Aus einem anderen Produkt übernommen: ${count}`,
  noIdeas: "Noch keine Ideen",
  noIdeasHint: "Machen Sie den Anfang: Was fehlt Ihnen?",
  noMatch: "Keine Idee passt dazu",
  noMatchHint: "Versuchen Sie andere Wörter, oder schlagen Sie es als neue Idee vor.",
  recentVotes: (votes, recent) => `Stimmen: ${votes}, davon ${recent} in vier Wochen`,
  answer: "Unsere Antwort",
  answeredOn: (day) => `Beantwortet: ${day}`,
  since: (status, day) => `${status} seit ${day}`,
  history: "Verlauf",
  moreIdeas: "Weitere Ideen",
  firstIdeas: "Zu den ersten Ideen",
  whatIsIt: "Woran denken Sie?",
  goOn: "Weiter",
  isItOne: "Ist Ihre Idee schon dabei?",
  isItOneHint: "Eine Stimme dafür hilft mehr als eine Wiederholung.",
  noneOfThese: "Keine davon: Erzählen Sie mehr",
  noneSimilar: "Das hat noch niemand vorgeschlagen. Erzählen Sie mehr:",
  shippedLately: "Kürzlich umgesetzt",
  nothingHere: "Zurzeit nichts",
  showAll: "Alle anzeigen",
  shippedWith: (title) => `Umgesetzt mit: ${isolate(title)}`,
  youAskedForIt: "Sie haben danach gefragt",
  allIdeasOf: (board) => `Alle Ideen auf ${isolate(board)}`,

  // Forms with an address, and a person's own page.
  mailSubject: (name) => `Bitte bestätigen: ${name}`,
  voteSubject: (name) => `Bitte bestätigen Sie Ihre Stimme: ${name}`,
  ideaSubject: (name) => `Bitte bestätigen Sie Ihre Idee: ${name}`,
  mailText: (name) =>
    `Jemand, hoffentlich Sie, hat Ihre E-Mail-Adresse in ein Formular von ${name} eingegeben. ` +
    "Öffnen Sie die Seite, um zu sehen, worum es geht, und bestätigen Sie es dort.",
  mailLink: "Ansehen und bestätigen",
  mailIgnore:
    "Der Link gilt 7 Tage. Wenn Sie es nicht waren, ignorieren Sie diese E-Mail oder sagen Sie es uns " +
    "auf der Seite: Dann schreiben wir Ihnen nie wieder.",

  waiting: "Ist das von Ihnen?",
  waitingHint: (userEmail) =>
    `Es wurde mit der Adresse ${userEmail} gesendet. Bevor Sie es bestätigen, geschieht nichts.`,
  ofSignUp: (title) => `Neuigkeiten von ${title} per E-Mail`,
  ofVote: (title) => `Stimme für: ${title}`,
  ofIdea: (title) => `Neue Idee: ${title}`,
  withMail: "mit einer E-Mail, sobald es Neues dazu gibt",
  confirm: "Bestätigen",
  nothingWaits: "Nichts wartet auf Ihre Bestätigung",
  notMe: "Sie waren es nicht?",
  notMeHint:
    "Dann geschieht nichts davon. Sie können auch alle E-Mails abstellen, die Formulare hier an Sie senden.",
  never: "Ich war es nicht: nie wieder schreiben",
  neverDone: "Wir schreiben Ihnen nicht mehr",
  neverDoneHint: "Was gewartet hat, wurde gelöscht.",
  confirmed: "Danke, es ist bestätigt",
  held: "Ihre Idee erscheint, sobald das Team sie freigegeben hat.",
  ended: "Das war nicht mehr möglich:",

  remember: "In diesem Browser merken",
  rememberHint:
    "Eine Stimme ist dann ein Klick, ohne E-Mail. Wir speichern ein Cookie für 90 Tage. Bitte nur auf " +
    "Ihrem eigenen Gerät.",
  remembered: "Dieser Browser kennt Sie jetzt",
  rememberedHint: "Eine Stimme ist nun ein Klick.",
  forgetBrowser: "In diesem Browser abmelden",
  browserForgotten: "Sie sind in diesem Browser abgemeldet",

  mine: "Ihre Ideen und Stimmen",
  mineHint:
    "Geben Sie Ihre Adresse ein. Wir senden Ihnen einen Link zu allem, wofür Sie gestimmt, was Sie " +
    "geschrieben und worum Sie gebeten haben.",
  sendLink: "Link senden",
  nothingMine: "Hier ist nichts von Ihnen.",
  notShown: "eine Idee, die nicht öffentlich ist",
  myVotes: "Sie haben gestimmt für",
  myIdeas: "Sie haben geschrieben",
  isTold: "Sie bekommen eine E-Mail, sobald es Neues gibt",
  askMail: "Bei Neuigkeiten E-Mail an mich",
  endMail: "Keine E-Mail dazu",
  moreMine: "Es gibt mehr, als diese Seite zeigt. Ziehen Sie Stimmen zurück, um den Rest zu sehen.",
  withdraw: "Stimme zurückziehen",
  stop: "Alle E-Mails abstellen",
  stopHint: "Ihre Stimmen bleiben. Niemand schreibt Ihnen darüber oder über Neuigkeiten.",
  stopped: "Wir schreiben Ihnen nicht mehr",
  forgetMe: "Alles über mich löschen",
  forgetMeHint:
    "Löscht Ihre Stimmen, Ihr Abonnement und Ihre Ideen, für die sonst niemand gestimmt hat. Andere Ideen " +
    "bleiben ohne Ihre Adresse.",
  kept: "Ihre Adresse bleibt bei Ihren Stimmen und Ideen gespeichert, bis Sie eine Stimme " +
    "zurückziehen oder alles löschen lassen.",
  keptAfterwards: (duration) =>
    "Ist eine Idee umgesetzt oder abgelehnt, werden die Adressen gelöscht, und die Zahl der " +
    `Stimmen bleibt. Frist: ${duration}`,
  forgetMeQuestion: "Wirklich alles über Sie löschen?",
  keepEverything: "Nein, alles behalten",
  forgotten: "Alles über Sie ist gelöscht",
  forgottenHint: "Hier ist nichts mehr von Ihnen gespeichert.",
  votingAs: (name) => `Sie stimmen ab als: ${name}`,
  foreign: "Bitte versuchen Sie es hier noch einmal",
  foreignHint:
    "Eine andere Website hat dieses Formular gesendet, deshalb ist nichts geschehen. Öffnen Sie die Seite " +
    "und drücken Sie den Knopf.",

  vote: "Abstimmen",
  voteAndMail: "Abstimmen, und bei Neuem eine E-Mail",
  voteHint: "Ihre Adresse sieht niemand. Sie bestätigen per E-Mail.",
  voteCounts: "Ihre Stimme zählt",
  withdrawn: "Ihre Stimme ist zurückgezogen",
  votingEnded: "Die Abstimmung ist hier beendet",
  newIdea: "Neue Idee",
  ideaTitle: "Titel",
  ideaBody: "Erzählen Sie mehr (freiwillig)",
  send: "Senden",
  sendAndMail: "Senden, und bei Neuem eine E-Mail",
  badTitle: "Geben Sie einen Titel mit 3 bis 120 Zeichen ein, ohne Link.",
  badBody: "Bitte bis zu 8 KB Text, ohne Bilder.",
  boardFull: "Hier werden zurzeit keine weiteren Ideen angenommen",
  report: "Diese Idee melden",
  reportReason: "Was ist damit nicht in Ordnung?",
  badReason: "Geben Sie einen Grund mit 3 bis 1.000 Zeichen an.",
  reported: "Danke für den Hinweis",
  reportedHint: "Das Team wird es sich ansehen.",

  // Signing in, and mails to the team.
  welcome: (title) => `Willkommen bei ${title}`,
  invitationFor: (userName, userEmail) => `Diese Einladung ist für ${userName}, ${userEmail}.`,
  signIn: "Anmelden",
  firstTitle: (title) => `${title} einrichten`,
  firstHint:
    "Sie übernehmen als erste Person die Verwaltung. Ihr Name steht bei dem, was Sie schreiben.",
  yourName: "Ihr Name",
  yourAddress: "Ihre E-Mail-Adresse",
  begin: "Loslegen",
  badUserName: "Geben Sie Ihren Namen ein.",
  badAddress: "Geben Sie eine E-Mail-Adresse wie ann@example.com ein.",
  linkEnded: "Dieser Link wurde schon benutzt oder gilt nicht mehr",
  linkEndedHint: "Bitten Sie die Verwaltung um eine neue Einladung oder melden Sie sich anders an.",
  otherWays: "Anders anmelden",
  noAccess: "Sie haben noch keinen Zugang",
  noAccessHint: "Bitten Sie die Verwaltung dieses Dienstes, Sie einzuladen.",
  noAddress:
    "Der Anmeldedienst hat Ihre E-Mail-Adresse nicht bestätigt. Wenden Sie sich an den Betreiber.",
  otherIdentity:
    "Zu dieser Adresse gehört ein anderes Konto beim Anmeldedienst. Bitten Sie die Verwaltung, " +
    "Sie noch einmal einzuladen.",
  providerFailed: "Der Anmeldedienst hat Sie nicht angemeldet",
  providerFailedHint: "Versuchen Sie es noch einmal oder melden Sie sich anders an.",

  codeSubject: (code, title) => `${code} ist Ihr Code: ${title}`,
  codeText: "Geben Sie diesen Code dort ein, wo Sie ihn angefordert haben:",
  codeNote:
    "Er gilt 10 Minuten. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail: " +
    "Ohne den Code kommt niemand hinein.",
  inviteSubject: (title) => `Einladung: ${title}`,
  inviteText: (title) =>
    `Sie sind in das Team von ${title} eingeladen. Öffnen Sie die Seite, um sich anzumelden.`,
  inviteLink: "Einladung annehmen",
  inviteNote:
    "Der Link gilt einmal, innerhalb von 7 Tagen. Wenn Sie keine Einladung erwartet haben, " +
    "ignorieren Sie sie.",

  digestSubject: (title) => `Heute Morgen: ${title}`,
  digestHeld: (count) => `Ideen, die auf Freigabe warten: ${count}`,
  digestReported: (count) => `Gemeldete Ideen: ${count}`,
  digestIdeas: "Neue Ideen",
  digestMailings: "Gestörte Aussendungen",
  digestWebhooks: "Gestörte Webhooks",
  openStudio: "Studio öffnen",
  digestNote: "Sie bekommen diese E-Mail als Mitglied des Teams, höchstens einmal am Tag.",
  digestSettings: "Diese E-Mail abstellen",
};
