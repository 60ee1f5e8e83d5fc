import type { ProofTexts } from "./proof_texts.ts";

/** The texts in Spanish. */
export const es: ProofTexts = {
  mailSubject: (name) => `Confírmalo, por favor: ${name}`,
  voteSubject: (name) => `Confirma tu voto, por favor: ${name}`,
  ideaSubject: (name) => `Confirma tu idea, por favor: ${name}`,
  mailText: (name) =>
    `Alguien, esperamos que tú, escribió tu dirección de correo en un formulario de ${name}. ` +
    "Abre la página para ver de qué se trata y confírmalo allí.",
  mailLink: "Ver y confirmar",
  mailIgnore:
    "El enlace es válido durante 7 días. Si no fuiste tú, ignora este correo o dínoslo en la página: " +
    "así no volveremos a escribirte nunca.",

  waiting: "¿Es tuyo?",
  waitingHint: (userEmail) =>
    `Se envió con la dirección ${userEmail}. No pasa nada hasta que lo confirmes.`,
  ofSignUp: (title) => `Recibir las novedades de ${title} por correo`,
  ofVote: (title) => `Voto por: ${title}`,
  ofIdea: (title) => `Idea nueva: ${title}`,
  withMail: "con un correo cuando haya novedades",
  confirm: "Confirmar",
  nothingWaits: "Nada espera tu confirmación",
  notMe: "¿No fuiste tú?",
  notMeHint:
    "Entonces no pasa nada. También puedes parar todos los correos que los formularios de aquí te envían.",
  never: "No fui yo: no me escribáis nunca más",
  neverDone: "No volveremos a escribirte",
  neverDoneHint: "Lo que esperaba se ha borrado.",
  confirmed: "Gracias, está confirmado",
  held: "Tu idea se mostrará cuando el equipo la apruebe.",
  ended: "Esto ya no fue posible:",

  remember: "Recordarme en este navegador",
  rememberHint:
    "Así un voto es una pulsación, sin correo. Guardamos una cookie durante 90 días. Hazlo solo en tu " +
    "propio dispositivo.",
  remembered: "Este navegador te recuerda",
  rememberedHint: "Ahora un voto es una pulsación.",
  forgetBrowser: "Cerrar sesión en este navegador",
  browserForgotten: "Has cerrado la sesión en este navegador",

  mine: "Tus ideas y votos",
  mineHint:
    "Escribe tu dirección. Te enviamos un enlace a todo lo que has votado, escrito y pedido.",
  sendLink: "Enviarme el enlace",
  nothingMine: "Aquí no hay nada tuyo.",
  notShown: "una idea que no es pública",
  myVotes: "Has votado por",
  myIdeas: "Has escrito",
  isTold: "Recibirás un correo cuando haya novedades",
  askMail: "Escríbanme cuando haya novedades",
  endMail: "Ningún correo sobre esto",
  moreMine: "Hay más de lo que muestra esta página. Retire votos para ver el resto.",
  withdraw: "Retirar el voto",
  stop: "Parar todos los correos",
  stopHint: "Tus votos se quedan. Nadie te escribe sobre ellos ni sobre novedades.",
  stopped: "Ya no te escribimos",
  forgetMe: "Borrar todo lo mío",
  forgetMeHint:
    "Borra tus votos, tu suscripción y tus ideas por las que nadie más votó. Otras ideas se quedan sin " +
    "tu dirección.",
  kept: "Guardamos tu dirección con tus votos e ideas hasta que retires un voto o pidas borrar " +
    "todo.",
  keptAfterwards: (duration) =>
    "Cuando una idea se publica o se rechaza, las direcciones se borran y el número de votos " +
    `se queda. Plazo: ${duration}`,
  forgetMeQuestion: "¿De verdad borrar todo sobre ti?",
  keepEverything: "No, conservar todo",
  forgotten: "Todo lo tuyo está borrado",
  forgottenHint: "Aquí ya no hay nada guardado de ti.",
  votingAs: (name) => `Votas como: ${name}`,
  foreign: "Inténtalo aquí otra vez",
  foreignHint:
    "Otro sitio envió este formulario, así que no se hizo nada. Abre la página y pulsa el botón.",

  vote: "Votar",
  voteAndMail: "Votar y recibir un correo cuando haya novedades",
  voteHint: "Nadie ve tu dirección. Lo confirmas por correo.",
  voteCounts: "Tu voto cuenta",
  withdrawn: "Tu voto se ha retirado",
  votingEnded: "La votación ha terminado aquí",
  newIdea: "Idea nueva",
  ideaTitle: "Título",
  ideaBody: "Cuéntanos más (opcional)",
  send: "Enviar",
  sendAndMail: "Enviar y recibir un correo cuando haya novedades",
  badTitle: "Escribe un título de 3 a 120 caracteres, sin enlaces.",
  badBody: "Hasta 8 KB de texto, sin imágenes.",
  boardFull: "Este tablero no acepta más ideas por ahora",
  report: "Denunciar esta idea",
  reportReason: "¿Qué tiene de malo?",
  badReason: "Escribe un motivo de 3 a 1.000 caracteres.",
  reported: "Gracias por avisarnos",
  reportedHint: "El equipo lo mirará.",
};
