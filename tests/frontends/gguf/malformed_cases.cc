// SPDX-License-Identifier: Apache-2.0
#include "tests/frontends/gguf/malformed_cases.h"

#include <cstdint>
#include <utility>

#include "tests/support/gguf_writer.h"

namespace infer::test {
namespace {

using Make = std::function<std::string()>;

// A file with these bytes.
template <size_t N>
Make Raw(const char (&bytes)[N]) {
  return [text = std::string(bytes, N - 1)] { return text; };
}

// The same followed by bytes that are not text, as in a real file of that kind.
template <size_t N>
Make Binary(const char (&bytes)[N]) {
  return [text = std::string(bytes, N - 1)] { return text + std::string(600, '\xe7'); };
}

// The small model with a change.
Make Image(std::function<void(GgufImage&)> change) {
  return [change = std::move(change)] {
    GgufImage image = SmallImage();
    change(image);
    return image.Bytes();
  };
}

Make Value(std::string_view key, uint32_t type, std::string value) {
  return Image([=](GgufImage& image) { image.Set(key, type, value); });
}

Make Dims(std::vector<uint64_t> dims) {
  return Image([=](GgufImage& image) { image.Tensor("a.weight").dims = dims; });
}

Make Type(uint32_t type) {
  return Image([=](GgufImage& image) { image.Tensor("a.weight").type = type; });
}

Make Offset(std::string_view tensor, uint64_t offset) {
  return Image([=](GgufImage& image) { image.Tensor(tensor).offset = offset; });
}

// The small model without its last `count_bytes`.
Make Cut(size_t count_bytes) {
  return [=] {
    std::string bytes = SmallImage().Bytes();
    return bytes.substr(0, bytes.size() - count_bytes);
  };
}

std::string Nested(int depth) {
  return depth == 0 ? U8(7) : Array(depth == 1 ? 0 : 9, {Nested(depth - 1)});
}

constexpr uint64_t kMax = ~uint64_t{0};

const std::vector<MalformedCase> kNotGguf = {
    {"empty_file", Raw(""), "the file is empty (0 bytes)"},
    {"one_byte", Raw("G"), "the file ends after 1 bytes"},
    {"magic_cut", Raw("GGU"), "the file ends after 3 bytes"},
    {"magic_only", Raw("GGUF"), "the file ends after 4 bytes"},
    {"version_cut", Raw("GGUF\x03\0"), "expected a GGUF header"},
    {"two_other_bytes", Raw("xy"), "only 2 bytes"},
    {"git_lfs_pointer",
     Raw("version https://git-lfs.github.com/spec/v1\noid sha256:00ff\nsize 639446688\n"),
     "a Git-LFS pointer, expected a GGUF file (magic \"GGUF\"); fetch the model itself (639446688"},
    {"git_lfs_pointer_without_size", Raw("version https://git-lfs.github.com/spec/v1\n"),
     "git lfs pull"},
    {"html_page", Raw("\n<!DOCTYPE html>\n<html><title>Sign in</title>"), "an HTML page"},
    {"html_page_in_capitals", Raw("<HTML><BODY>404"), "an HTML page"},
    {"html_page_with_mark", Raw("\xef\xbb\xbf<!doctype html>"), "an HTML page"},
    {"xml_answer", Raw("<?xml version=\"1.0\"?><Error><Code>AccessDenied"), "an XML text"},
    {"json_answer", Raw("{\"error\": \"not found\"}"), "JSON text"},
    {"plain_text", Raw("Access to model is restricted.\n"), "text \"Access to model"},
    {"zip_archive", Binary("PK\x03\x04"), "a zip archive"},
    {"pytorch_checkpoint", Binary("PK\x03\x04\0\0archive/data.pkl"), "a PyTorch checkpoint"},
    {"zip_archive_empty", Binary("PK\x05\x06"), "an empty zip archive"},
    {"pickle", Binary("\x80\x02}q"), "a Python pickle"},
    {"gzip_archive", Binary("\x1f\x8b\x08"), "a gzip archive"},
    {"xz_archive",
     Binary("\xfd"
            "7zXZ"),
     "an xz archive"},
    {"zstd_archive", Binary("\x28\xb5\x2f\xfd"), "a zstd archive"},
    {"bzip2_archive", Binary("BZh9"), "a bzip2 archive"},
    {"7z_archive", Binary("7z\xbc\xaf"), "a 7z archive"},
    {"tar_archive", [] { return "model" + std::string(252, '\0') + "ustar" + std::string(90, 0); },
     "a tar archive"},
    {"safetensors", Raw("\x40\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"F16\"}}"), "a safetensors file"},
    {"old_ggml", Binary("lmgg"), "an old GGML file (magic ggml"},
    {"old_ggmf", Binary("fmgg\x01\0\0"), "an old GGML file (magic ggmf"},
    {"old_ggjt", Binary("tjgg\x03\0\0"), "an old GGML file (magic ggjt"},
    {"old_lora", Binary("algg\x01\0\0"), "a GGML LoRA adapter"},
    {"hdf5", Binary("\x89HDF\r\n"), "an HDF5 file"},
    {"numpy", Binary("\x93NUMPY"), "a NumPy array"},
    {"program",
     Binary("\x7f"
            "ELF\x02"),
     "a program"},
    {"zeros", [] { return std::string(4096, '\0'); }, "begins with zeros"},
    {"noise", Binary("\xde\xad\xbe\xef\x01\x02\x03\x04"), "the bytes \"\\xde\\xad\\xbe\\xef"},
    {"magic_reversed", Image([](GgufImage& m) { m.magic = "FUGG"; }), "big-endian"},
    {"magic_in_small_letters", Image([](GgufImage& m) { m.magic = "gguf"; }), "the bytes \"gguf"},
    {"magic_bit_flipped", Image([](GgufImage& m) { m.magic = "GGUG"; }), "expected a GGUF file"},
    {"big_endian", Image([](GgufImage& m) { m.version = 3 << 24; }),
     "byte 4: the GGUF file is big"},
    {"version_0", Image([](GgufImage& m) { m.version = 0; }), "version is 0, expected 2 or 3"},
    {"version_1", Image([](GgufImage& m) { m.version = 1; }), "version is 1, expected 2 or 3"},
    {"version_4", Image([](GgufImage& m) { m.version = 4; }), "version is 4, expected 2 or 3"},
    {"version_max", Image([](GgufImage& m) { m.version = 0xffffffff; }), "version is 4294967295"},
};

const std::vector<MalformedCase> kCounts = {
    {"counts_cut", Raw("GGUF\3\0\0\0\1\0\0\0\0\0\0\0\1\0\0"), "metadata count needs 8 bytes"},
    {"tensor_count_max", Image([](GgufImage& m) { m.tensor_count = kMax; }),
     "byte 8: header: tensor count is 18446744073709551615, expected at most 65536"},
    {"tensor_count_negative", Image([](GgufImage& m) { m.tensor_count = uint64_t{1} << 63; }),
     "tensor count is 9223372036854775808"},
    {"tensor_count_over_limit", Image([](GgufImage& m) { m.tensor_count = 65537; }),
     "tensor count is 65537"},
    {"tensor_count_beyond_file", Image([](GgufImage& m) { m.tensor_count = 65536; }),
     "18 keys and 65536 tensors needs"},
    {"tensor_count_one_more", Image([](GgufImage& m) { m.tensor_count = 4; }),
     "tensor entry 4 of 4: tensor name is empty"},
    {"metadata_count_max", Image([](GgufImage& m) { m.metadata_count = kMax; }),
     "byte 16: header: metadata count is 18446744073709551615, expected at most 65536"},
    {"metadata_count_over_limit", Image([](GgufImage& m) { m.metadata_count = 65537; }),
     "metadata count is 65537"},
    {"metadata_count_beyond_file", Image([](GgufImage& m) { m.metadata_count = 65536; }),
     "65536 keys and 3 tensors needs"},
    {"metadata_count_one_more", Image([](GgufImage& m) { m.metadata_count = 19; }),
     "tensor entry 1 of 3: tensor name has 562949953421312 bytes"},
    {"metadata_count_one_less", Image([](GgufImage& m) { m.metadata_count = 17; }),
     "tensor \"tokenizer.chat_template\": number of dimensions is 8"},
    {"header_cut_at_24", Cut(SmallImage().Bytes().size() - 24), "18 keys and 3 tensors needs"},
};

const std::vector<MalformedCase> kKeys = {
    {"key_empty", Image([](GgufImage& m) { m.Entry("test.u8").key = ""; }),
     "metadata entry 2 of 18: key is empty"},
    {"key_with_nul", Image([](GgufImage& m) { m.Entry("test.u8").key[4] = '\0'; }),
     "key \"test\\x00u8\" has byte 0 at position 4"},
    {"key_not_ascii", Image([](GgufImage& m) { m.Entry("test.u8").key[4] = '\xff'; }),
     "has byte 255 at position 4"},
    {"key_in_utf8", Image([](GgufImage& m) { m.Entry("test.u8").key = "gr\xc3\xbcn"; }),
     "has byte 195 at position 2"},
    {"key_too_long", Image([](GgufImage& m) { m.Entry("test.u8").key = std::string(65536, 'k'); }),
     "key has 65536 bytes, expected at most 65535"},
    {"key_length_max", Image([](GgufImage& m) { m.Entry("test.u8").key_length = kMax; }),
     "key has 18446744073709551615 bytes"},
    {"key_length_beyond_file", Image([](GgufImage& m) { m.Entry("test.u8").key_length = 60000; }),
     "key needs 60000 bytes, but only"},
    {"key_length_short", Image([](GgufImage& m) { m.Entry("test.u8").key_length = 3; }),
     "key \"tes\": value type is "},
    {"key_twice", Image([](GgufImage& m) { m.Add("test.u8", 0, U8(200)); }),
     "key \"test.u8\": key appears twice"},
    {"key_twice_with_other_type", Image([](GgufImage& m) { m.Add("test.u8", 8, Text("x")); }),
     "key \"test.u8\": key appears twice"},
    {"many_equal_keys", Image([](GgufImage& m) {
       for (int i = 0; i < 60000; ++i) m.Add("k", 0, U8(0));
     }),
     "key \"k\": key appears twice"},
};

const std::vector<MalformedCase> kValues = {
    {"value_type_13", Value("test.u8", 13, U8(0)), "key \"test.u8\": value type is 13, expected 0"},
    {"value_type_max", Value("test.u8", 0xffffffff, U8(0)), "value type is 4294967295"},
    {"bool_2", Value("test.bool", 7, U8(2)), "key \"test.bool\": bool is 2, expected 0 or 1"},
    {"bool_255", Value("test.bool", 7, U8(255)), "bool is 255"},
    {"string_length_max", Value("test.string", 8, Text("x", kMax)),
     "key \"test.string\": string has 18446744073709551615 bytes, expected at most 67108864"},
    {"string_length_over_limit", Value("test.string", 8, Text("x", (64 << 20) + 1)),
     "string has 67108865 bytes"},
    {"string_length_beyond_file", Value("test.string", 8, Text("x", 1 << 20)),
     "string needs 1048576 bytes, but only"},
    {"string_length_to_exactly_one_too_many",
     [] {
       GgufImage image;
       image.Add("test.string", 8, Text("abc", 4));
       return image.Header();
     },
     "string needs 4 bytes, but only 3 are left"},
    {"template_too_long",
     Value("tokenizer.chat_template", 8, Text(std::string((1 << 20) + 1, 't'))),
     "string has 1048577 bytes, expected at most 1048576"},
    {"named_template_too_long",
     Value("tokenizer.chat_template.tool_use", 8, Text(std::string((1 << 20) + 1, 't'))),
     "expected at most 1048576"},
    {"token_too_long",
     Value("tokenizer.ggml.tokens", 9, Array(8, {Text("a"), Text(std::string(65537, 't'))})),
     "key \"tokenizer.ggml.tokens\": element 1: string has 65537 bytes, expected at most 65536"},
    {"merge_too_long", Value("tokenizer.ggml.merges", 9, Array(8, {Text(std::string(65538, 't'))})),
     "element 0: string has 65538 bytes, expected at most 65537"},
    {"token_length_beyond_file",
     Value("tokenizer.ggml.tokens", 9, Array(8, {Text("a"), Text("b", 60000)})),
     "key \"tokenizer.ggml.tokens\": element 1: string needs 60000 bytes"},
    {"token_length_max", Value("tokenizer.ggml.tokens", 9, Array(8, {Text("b", kMax)})),
     "element 0: string has 18446744073709551615 bytes"},
    {"too_many_tokens", Value("tokenizer.ggml.tokens", 9, Array(8, {}, (4 << 20) + 1)),
     "array has 4194305 elements of type string, expected at most 4194304"},
    {"too_many_merges", Value("tokenizer.ggml.merges", 9, Array(8, {}, (4 << 20) + 1)),
     "array has 4194305 elements"},
    {"tokens_beyond_file", Value("tokenizer.ggml.tokens", 9, Array(8, {Text("a")}, 100000)),
     "array of 100000 elements of type string needs 800000 bytes"},
    {"tokens_one_more", Value("tokenizer.ggml.tokens", 9, Array(8, {Text("a")}, 2)),
     "metadata entry 17 of 18: key has 34359738377 bytes"},
    {"array_over_limit", Value("test.numbers", 9, Array(0, {}, (16 << 20) + 1)),
     "array has 16777217 elements of type u8, expected at most 16777216"},
    {"array_length_max", Value("test.numbers", 9, Array(5, {}, kMax)),
     "array has 18446744073709551615 elements"},
    {"array_bytes_wrap", Value("test.numbers", 9, Array(10, {}, uint64_t{1} << 61)),
     "array has 2305843009213693952 elements"},
    {"array_beyond_file", Value("test.numbers", 9, Array(5, {U32(1)}, 100000)),
     "array of 100000 elements of type i32 needs 400000 bytes"},
    {"array_element_type_13", Value("test.numbers", 9, Array(13, {})),
     "key \"test.numbers\": array element type is 13"},
    {"array_element_type_max", Value("test.numbers", 9, Array(0xffffffff, {})),
     "array element type is 4294967295"},
    {"array_bool_2", Value("test.bools", 9, Array(7, {U8(1), U8(2)})),
     "key \"test.bools\": element 1: bool is 2"},
    {"array_nested_5_deep", Value("test.nested", 9, Nested(5)),
     "arrays are nested 5 deep, expected at most 4"},
    {"array_nested_1000_deep", Value("test.nested", 9, Nested(1000)), "arrays are nested 5 deep"},
    {"array_nested_in_tokens", Value("tokenizer.ggml.tokens", 9, Nested(2)),
     "arrays are nested 2 deep, expected at most 1"},
    {"array_nested_count_beyond_file",
     Value("test.nested", 9, Array(9, {Array(0, {}, 1 << 20)}, 1)),
     "key \"test.nested\": element 0: array of 1048576 elements of type u8 needs"},
    {"array_nested_type_unknown", Value("test.nested", 9, Array(9, {Array(77, {})})),
     "array element type is 77"},
    {"file_ends_in_value",
     [] {
       GgufImage image;
       image.Add("test.u64", 10, U32(1));
       return image.Header();
     },
     "key \"test.u64\": value needs 8 bytes, but only 4 are left"},
    {"file_ends_in_value_type",
     [] {
       GgufImage image;
       image.Add("test.u64", 10, "");
       std::string bytes = image.Header();
       return bytes.substr(0, bytes.size() - 2);
     },
     "but only"},
};

const std::vector<MalformedCase> kAlignment = {
    {"alignment_0", Value("general.alignment", 4, U32(0)),
     "key \"general.alignment\": is 0, expected a power of two from 8 to 65536"},
    {"alignment_1", Value("general.alignment", 4, U32(1)), "is 1, expected a power of two"},
    {"alignment_4", Value("general.alignment", 4, U32(4)), "is 4, expected a power of two"},
    {"alignment_24", Value("general.alignment", 4, U32(24)), "is 24, expected a power of two"},
    {"alignment_33", Value("general.alignment", 4, U32(33)), "is 33, expected a power of two"},
    {"alignment_131072", Value("general.alignment", 4, U32(131072)), "is 131072, expected"},
    {"alignment_2_to_31", Value("general.alignment", 4, U32(uint64_t{1} << 31)),
     "is 2147483648, expected"},
    {"alignment_max", Value("general.alignment", 4, U32(kMax)), "is 4294967295, expected"},
    {"alignment_u64", Value("general.alignment", 10, U64(32)), "has type u64, expected u32"},
    {"alignment_i32", Value("general.alignment", 5, U32(32)), "has type i32, expected u32"},
    {"alignment_string", Value("general.alignment", 8, Text("32")),
     "has type string, expected u32"},
    {"alignment_array", Value("general.alignment", 9, Array(4, {U32(32)})),
     "has type array of 1 x u32, expected u32"},
    {"alignment_not_that_of_the_data", Value("general.alignment", 4, U32(64)),
     "is not a multiple of the alignment 64"},
};

const std::vector<MalformedCase> kTensors = {
    {"name_empty", Image([](GgufImage& m) { m.Tensor("a.weight").name = ""; }),
     "tensor entry 1 of 3: tensor name is empty"},
    {"name_with_nul", Image([](GgufImage& m) { m.Tensor("a.weight").name[1] = '\0'; }),
     "tensor name \"a\\x00weight\" has a NUL at position 1"},
    {"name_ending_in_nul", Image([](GgufImage& m) { m.Tensor("a.weight").name += '\0'; }),
     "has a NUL at position 8"},
    {"name_of_65_bytes", Image([](GgufImage& m) { m.tensors[0].name = std::string(65, 'n'); }),
     "tensor name has 65 bytes, expected at most 64"},
    {"name_length_max", Image([](GgufImage& m) { m.tensors[0].name_length = kMax; }),
     "tensor name has 18446744073709551615 bytes"},
    {"name_length_short", Image([](GgufImage& m) { m.tensors[0].name_length = 2; }),
     "tensor \"a.\": number of dimensions is"},
    {"name_twice", Image([](GgufImage& m) { m.Tensor("b.weight").name = "a.weight"; }),
     "tensor \"a.weight\": name appears twice"},
    {"dims_0", Dims({}), "tensor \"a.weight\": number of dimensions is 0, expected 1 to 4"},
    {"dims_5", Dims({4, 2, 1, 1, 1}), "number of dimensions is 5, expected 1 to 4"},
    {"dims_max", Image([](GgufImage& m) { m.tensors[0].dim_count = 0xffffffff; }),
     "number of dimensions is 4294967295"},
    {"dims_one_more", Image([](GgufImage& m) { m.tensors[0].dim_count = 3; }),
     "tensor \"a.weight\": "},
    {"dims_one_less", Image([](GgufImage& m) { m.tensors[0].dim_count = 1; }), "tensor \""},
    {"dim_zero", Dims({0, 2}), "tensor \"a.weight\": dimension 0 is 0, expected 1 to 2147483647"},
    {"last_dim_zero", Dims({4, 0}), "dimension 1 is 0"},
    {"dim_2_to_31", Dims({uint64_t{1} << 31}), "dimension 0 is 2147483648"},
    {"dim_negative", Dims({4, kMax}), "dimension 1 is 18446744073709551615"},
    {"dims_wrap_to_0", Dims({uint64_t{1} << 32, uint64_t{1} << 32}), "dimension 0 is 4294967296"},
    {"dims_2_to_40", Dims({1 << 20, 1 << 20}), "more than 1099511627775 elements"},
    {"dims_product_wraps", Dims({2147483647, 2147483647, 2147483647, 2147483647}),
     "more than 1099511627775 elements"},
    {"dims_larger_than_file", Dims({4, 1000000}), "tensor \"a.weight\": its 16000000 bytes"},
    {"type_q4_2", Type(4),
     "tensor type is 4 (q4_2, since removed from the format), expected one of"},
    {"type_q4_3", Type(5), "tensor type is 5 (q4_3"},
    {"type_q4_0_4_4", Type(31), "tensor type is 31 (q4_0_4_4"},
    {"type_q4_0_4_8", Type(32), "tensor type is 32 (q4_0_4_8"},
    {"type_q4_0_8_8", Type(33), "tensor type is 33 (q4_0_8_8"},
    {"type_iq4_nl_4_4", Type(36), "tensor type is 36 (iq4_nl_4_4"},
    {"type_unknown", Type(999),
     "tensor \"a.weight\": tensor type id 999 is unknown, expected one of f32"},
    {"type_max", Type(0xffffffff), "tensor type id 4294967295 is unknown"},
    {"row_not_whole_q8_0_blocks", Image([](GgufImage& m) { m.Tensor("b.weight").dims = {33, 3}; }),
     "tensor \"b.weight\": rows have 33 elements of type q8_0, expected a multiple of its block "
     "of"},
    {"row_not_whole_q4_k_blocks", Image([](GgufImage& m) {
       m.Tensor("b.weight").type = 12;
       m.Tensor("b.weight").dims = {32, 8};
     }),
     "rows have 32 elements of type q4_k, expected a multiple of its block of 256"},
    {"offset_unaligned", Offset("b.weight", 33),
     "tensor \"b.weight\": data offset 33 is not a multiple of the alignment 32"},
    {"offset_wraps", Offset("b.weight", kMax - 31), "tensor \"b.weight\": data offset 1844674"},
    {"offset_2_to_63", Offset("b.weight", uint64_t{1} << 63), "need a file of 922337203685"},
    {"offset_at_end_of_file", Offset("b.weight", 1 << 20), "tensor \"b.weight\": its 102 bytes"},
    {"data_one_byte_short", Cut(17), "tensor \"c.weight\": its 16 bytes at byte"},
    {"data_half", Cut(100), "tensor \"c.weight\": its 16 bytes at byte"},
    {"data_missing", [] { return SmallImage().Header(); }, "the download was interrupted"},
    {"index_cut",
     [] {
       std::string header = SmallImage().Header();
       return header.substr(0, header.size() - 5);
     },
     "tensor \"c.weight\": data offset needs 8 bytes, but only 3 are left"},
    {"overlap_same_offset", Offset("b.weight", 0), "tensor \"b.weight\": its data at byte"},
    {"overlap_of_a_tail", Offset("c.weight", 128), "overlaps tensor \"b.weight\", which ends at"},
    {"overlap_inside", Offset("c.weight", 64), "overlaps tensor \"b.weight\""},
    {"overlap_out_of_order", Image([](GgufImage& m) {
       std::swap(m.tensors[0], m.tensors[1]);
       m.tensors[0].offset = 32;
       m.tensors[1].offset = 128;
     }),
     "tensor \"a.weight\": its data at byte"},
};

const std::vector<MalformedCase> kSplit = {
    {"split_count_0", Image([](GgufImage& m) {
       m.Set("split.count", 2, U16(0));
       m.Set("split.no", 2, U16(0));
     }),
     "key \"split.count\": is 0, expected 1 or more"},
    {"split_no_beyond_count", Image([](GgufImage& m) {
       m.Set("split.count", 2, U16(2));
       m.Set("split.no", 2, U16(2));
     }),
     "key \"split.no\": is 2, expected less than split.count = 2"},
    {"split_count_u32", Image([](GgufImage& m) {
       m.Set("split.count", 4, U32(1));
       m.Set("split.no", 2, U16(0));
     }),
     "key \"split.count\": has type u32, expected u16"},
    {"split_no_without_count", Value("split.no", 2, U16(0)), "split.count is missing"},
    {"split_count_without_no", Value("split.count", 2, U16(1)), "split.no is missing"},
    {"split_no_string", Image([](GgufImage& m) {
       m.Set("split.count", 2, U16(1));
       m.Set("split.no", 8, Text("0"));
     }),
     "key \"split.no\": has type string, expected u16"},
    {"split_part_without_its_name", Image([](GgufImage& m) {
       m.Set("split.count", 2, U16(3));
       m.Set("split.no", 2, U16(0));
     }),
     "expected a file name that ends in -00001-of-0000N.gguf"},
    {"split_tensors_negative", Image([](GgufImage& m) {
       m.Set("split.count", 2, U16(1));
       m.Set("split.no", 2, U16(0));
       m.Set("split.tensors.count", 5, U32(kMax));
     }),
     "key \"split.tensors.count\": is -1, expected 0 or more"},
    {"split_tensors_wrong", Image([](GgufImage& m) {
       m.Set("split.count", 2, U16(1));
       m.Set("split.no", 2, U16(0));
       m.Set("split.tensors.count", 5, U32(4));
     }),
     "key \"split.tensors.count\": is 4, but the files have 3 tensors"},
};

}  // namespace

const std::vector<MalformedCase>& MalformedCases() {
  static const std::vector<MalformedCase> all = [] {
    std::vector<MalformedCase> cases;
    for (const auto* part :
         {&kNotGguf, &kCounts, &kKeys, &kValues, &kAlignment, &kTensors, &kSplit}) {
      cases.insert(cases.end(), part->begin(), part->end());
    }
    return cases;
  }();
  return all;
}

}  // namespace infer::test
