// SPDX-License-Identifier: Apache-2.0

// Returns the note that must accompany measured times of these programs; "" if all devices are real.
export function emulatedText(programs) {
  const of = programs.filter((program) => program.profile?.emulated);
  if (!of.length) return "";
  const which = programs.length > 1 ? ` of ${of.map(({ name }) => name).join(" and ")}` : "";
  return `The profile${which} was taken on an emulated device: measured times of steps there say nothing about a GPU.`;
}
