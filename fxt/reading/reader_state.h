// The parts of a Reader. Internal to the Reader and the OrderedReader.
#pragma once

#include "fxt/reader.h"
#include "fxt/reading/record_decoder.h"
#include "fxt/reading/record_stream.h"

namespace fxt {

class Reader::State {
 public:
  template <typename Source>
  State(Source& source, const ReaderOptions& options) : stream(source, options) {}

  RecordStream stream;
  RecordDecoder decoder;
  RecordWords words;
  Entry entry;
  ReaderCounters counters;
};

}  // namespace fxt
