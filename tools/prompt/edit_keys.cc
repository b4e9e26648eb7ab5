// SPDX-License-Identifier: Apache-2.0
#include "tools/prompt/edit_keys.h"

#include <utility>

namespace infer {
namespace {

constexpr std::pair<const wchar_t*, const wchar_t*> kKeys[] = {
    {L"^C", L"infer-interrupt"},
    {L"^Z", L"infer-suspend"},
    {L"^I", L"infer-complete"},
    {L"^W", L"ed-delete-prev-word"},
    {L"^R", L"em-inc-search-prev"},
    // Terminals differ in what Home, End, Delete and Ctrl with an arrow send.
    {L"\033[H", L"ed-move-to-beg"},
    {L"\033OH", L"ed-move-to-beg"},
    {L"\033[1~", L"ed-move-to-beg"},
    {L"\033[7~", L"ed-move-to-beg"},
    {L"\033[F", L"ed-move-to-end"},
    {L"\033OF", L"ed-move-to-end"},
    {L"\033[4~", L"ed-move-to-end"},
    {L"\033[8~", L"ed-move-to-end"},
    {L"\033[3~", L"ed-delete-next-char"},
    {L"\033[1;5C", L"em-next-word"},
    {L"\033[1;5D", L"ed-prev-word"},
    {L"\033[1;3C", L"em-next-word"},
    {L"\033[1;3D", L"ed-prev-word"},
    {L"\033\177", L"ed-delete-prev-word"},
};

}  // namespace

void BindEditKeys(EditLine* edit) {
  for (const auto& [key, command] : kKeys) el_wset(edit, EL_BIND, key, command, nullptr);
}

}  // namespace infer
