import type { ProofTexts } from "./proof_texts.ts";

/** The texts in German. */
export const de: ProofTexts = {
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
};
