import type { ProofTexts } from "./proof_texts.ts";

/** The texts in Dutch. */
export const nl: ProofTexts = {
  mailSubject: (name) => `Bevestig het even: ${name}`,
  voteSubject: (name) => `Bevestig je stem: ${name}`,
  ideaSubject: (name) => `Bevestig je idee: ${name}`,
  mailText: (name) =>
    `Iemand, hopelijk jij, heeft je e-mailadres ingevuld in een formulier van ${name}. ` +
    "Open de pagina om te zien wat het is, en bevestig het daar.",
  mailLink: "Bekijken en bevestigen",
  mailIgnore:
    "De link is 7 dagen geldig. Was jij het niet? Negeer deze e-mail, of vertel het ons op de pagina: " +
    "dan mailen we je nooit meer.",

  waiting: "Is dit van jou?",
  waitingHint: (userEmail) =>
    `Het is verstuurd met het adres ${userEmail}. Er gebeurt niets voordat je het bevestigt.`,
  ofSignUp: (title) => `Nieuws van ${title} per e-mail`,
  ofVote: (title) => `Stem voor: ${title}`,
  ofIdea: (title) => `Nieuw idee: ${title}`,
  withMail: "met een e-mail zodra er nieuws over is",
  confirm: "Bevestigen",
  nothingWaits: "Er wacht niets op je bevestiging",
  notMe: "Was jij het niet?",
  notMeHint:
    "Dan gebeurt er niets. Je kunt ook alle e-mails stoppen die formulieren hier aan je sturen.",
  never: "Ik was het niet: mail me nooit meer",
  neverDone: "We mailen je niet meer",
  neverDoneHint: "Wat wachtte, is verwijderd.",
  confirmed: "Bedankt, het is bevestigd",
  held: "Je idee is te zien zodra het team het heeft goedgekeurd.",
  ended: "Dit kon niet meer:",

  remember: "Onthoud mij in deze browser",
  rememberHint:
    "Een stem is dan één druk, zonder e-mail. We bewaren één cookie, 90 dagen. Doe dit alleen op je eigen " +
    "apparaat.",
  remembered: "Deze browser onthoudt je",
  rememberedHint: "Een stem is nu één druk.",
  forgetBrowser: "Afmelden in deze browser",
  browserForgotten: "Je bent afgemeld in deze browser",

  mine: "Jouw ideeën en stemmen",
  mineHint:
    "Vul je adres in. We mailen je een link naar alles waarop je stemde, wat je schreef en waarom je vroeg.",
  sendLink: "Stuur mij de link",
  nothingMine: "Er is hier niets van jou.",
  notShown: "een idee dat niet openbaar is",
  myVotes: "Je stemde op",
  myIdeas: "Je schreef",
  isTold: "Je krijgt een e-mail zodra er nieuws is",
  askMail: "Mail mij als er nieuws is",
  endMail: "Geen e-mail hierover",
  moreMine: "Er is meer dan deze pagina toont. Trek stemmen in om de rest te zien.",
  withdraw: "Stem intrekken",
  stop: "Stop alle e-mails",
  stopHint: "Je stemmen blijven. Niemand mailt je erover, en ook niet over nieuws.",
  stopped: "We mailen je niet meer",
  forgetMe: "Verwijder alles van mij",
  forgetMeHint:
    "Verwijdert je stemmen, je abonnement en je ideeën waarop niemand anders stemde. Andere ideeën blijven " +
    "zonder je adres.",
  kept: "We bewaren je adres bij je stemmen en ideeën tot je een stem intrekt of alles laat " +
    "verwijderen.",
  keptAfterwards: (duration) =>
    "Als een idee is uitgebracht of afgewezen, worden de adressen verwijderd en blijft het " +
    `aantal stemmen. Termijn: ${duration}`,
  forgetMeQuestion: "Echt alles over jou verwijderen?",
  keepEverything: "Nee, alles bewaren",
  forgotten: "Alles van jou is verwijderd",
  forgottenHint: "Er is hier niets meer van je bewaard.",
  votingAs: (name) => `Je stemt als: ${name}`,
  foreign: "Probeer het hier opnieuw",
  foreignHint:
    "Een andere site heeft dit formulier verstuurd, dus er is niets gedaan. Open de pagina en druk op de knop.",

  vote: "Stem",
  voteAndMail: "Stem, en mail me zodra er nieuws is",
  voteHint: "Niemand ziet je adres. Je bevestigt met een e-mail.",
  voteCounts: "Je stem telt",
  withdrawn: "Je stem is ingetrokken",
  votingEnded: "Hier kan niet meer gestemd worden",
  newIdea: "Nieuw idee",
  ideaTitle: "Titel",
  ideaBody: "Vertel meer (mag leeg blijven)",
  send: "Versturen",
  sendAndMail: "Versturen, en mail me zodra er nieuws is",
  badTitle: "Vul een titel van 3 tot 120 tekens in, zonder link.",
  badBody: "Tot 8 KB tekst, zonder afbeeldingen.",
  boardFull: "Dit bord neemt nu geen ideeën meer aan",
  report: "Meld dit idee",
  reportReason: "Wat is er mis mee?",
  badReason: "Vul een reden van 3 tot 1.000 tekens in.",
  reported: "Bedankt voor je melding",
  reportedHint: "Het team bekijkt het.",
};
