import type { TeamTexts } from "./team_texts.ts";

/** The texts in Spanish. */
export const es: TeamTexts = {
  welcome: (title) => `Te damos la bienvenida a ${title}`,
  invitationFor: (userName, userEmail) => `Esta invitación es para ${userName}, ${userEmail}.`,
  signIn: "Entrar",
  firstTitle: (title) => `Configurar ${title}`,
  firstHint:
    "Serás la primera persona con el papel de administrador. Tu nombre se muestra junto a lo " +
    "que escribes.",
  yourName: "Tu nombre",
  yourAddress: "Tu dirección de correo",
  begin: "Empezar",
  badName: "Escribe tu nombre.",
  badAddress: "Escribe una dirección de correo como ann@example.com.",
  linkEnded: "Este enlace ya se usó o ha caducado",
  linkEndedHint: "Pide una nueva invitación a un administrador o entra de otra forma.",
  otherWays: "Otras formas de entrar",
  noAccess: "Aún no tienes acceso",
  noAccessHint: "Pide a un administrador de este servicio que te invite.",
  noAddress:
    "El proveedor de identidad no confirmó tu dirección de correo. Habla con quien lleva este " +
    "servicio.",
  otherIdentity:
    "A esta dirección le corresponde otra cuenta del proveedor de identidad. Pide a un " +
    "administrador que te invite de nuevo.",
  providerFailed: "El proveedor de identidad no te dejó entrar",
  providerFailedHint: "Inténtalo otra vez o entra de otra forma.",

  codeSubject: (code, title) => `${code} es tu código: ${title}`,
  codeText: "Escribe este código donde lo pediste:",
  codeNote:
    "Es válido durante 10 minutos. Si no lo pediste, ignora este correo: sin el código no " +
    "entra nadie.",
  inviteSubject: (title) => `Invitación: ${title}`,
  inviteText: (title) => `Te han invitado al equipo de ${title}. Abre la página para entrar.`,
  inviteLink: "Aceptar la invitación",
  inviteNote:
    "El enlace sirve una sola vez, en un plazo de 7 días. Si no esperabas ninguna invitación, " +
    "ignórala.",

  digestSubject: (title) => `Esta mañana: ${title}`,
  digestHeld: (count) => `Ideas por aprobar: ${count}`,
  digestReported: (count) => `Ideas denunciadas: ${count}`,
  digestIdeas: "Ideas nuevas",
  digestMailings: "Envíos con problemas",
  digestWebhooks: "Webhooks con problemas",
  openStudio: "Abrir el estudio",
  digestNote: "Recibes este correo como miembro del equipo, como mucho una vez al día.",
  digestSettings: "Parar este correo",
};
