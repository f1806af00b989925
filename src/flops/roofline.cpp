// SPDX-License-Identifier: Apache-2.0
#include "flops/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpwright::flop {

namespace {

constexpr double kGiga = 1e9, kTera = 1e12;
// The picture's window: FLOPs for a byte, and TFLOP/s.
constexpr double kLeft = 0.01, kRight = 10000;

double memory_roof(double intensity, const DeviceFacts& device) {
  return intensity * device.memory_gb_per_s * kGiga / kTera;
}

double at_most(double intensity, double peak, const DeviceFacts& device) {
  return std::min(peak, memory_roof(intensity, device));
}

/// Half precision without tensor cores is twice as fast as single on the devices we know.
double seconds_at_peak(const Flops& flops, const DeviceFacts& device) {
  const auto part = [](double operations, double tflops) {
    return tflops > 0 ? operations / (tflops * kTera) : 0;
  };
  return part(flops.sp, device.fp32_tflops) + part(flops.dp, device.fp64_tflops) +
         part(flops.half, 2 * device.fp32_tflops) + part(flops.tensor, device.half_tensor_tflops);
}

/// Share of the window's width.
double place_of(double intensity) {
  const double place = std::log10(intensity / kLeft) / std::log10(kRight / kLeft);
  return std::clamp(place, 0.0, 1.0);
}

struct Height {
  double low, high;
  [[nodiscard]] double of(double tflops) const {
    if (tflops <= 0) return 0;
    return std::clamp(std::log10(tflops / low) / std::log10(high / low), 0.0, 1.0);
  }
};

Height height_of(const DeviceFacts& device) {
  return {memory_roof(kLeft, device), 2 * std::max(device.fp32_tflops, device.half_tensor_tflops)};
}

std::string svg_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

}  // namespace

RooflinePoint roofline_point(const std::string& label, const Flops& flops, double bytes,
                             const DeviceFacts& device) {
  RooflinePoint point;
  point.label = label;
  const double seconds = seconds_at_peak(flops, device);
  point.peak_tflops = seconds > 0 ? flops.total() / seconds / kTera : device.fp32_tflops;
  if (device.memory_gb_per_s > 0)
    point.ridge = point.peak_tflops * kTera / (device.memory_gb_per_s * kGiga);
  if (flops.total() > 0 && bytes > 0) point.intensity = flops.total() / bytes;
  point.memory_bound = bytes > 0 && point.intensity < point.ridge;
  point.roof_tflops =
      bytes > 0 ? at_most(point.intensity, point.peak_tflops, device) : point.peak_tflops;
  return point;
}

std::string roofline_sentence(const RooflinePoint& point) {
  if (point.intensity == 0) return point.memory_bound ? "no FLOPs: bound by memory" : "no traffic";
  return fmt::format(
      "{:.4g} FLOP/byte, bound by {}: at most {:.3g} of {:.3g} TFLOP/s (ridge at {:.3g})",
      point.intensity, point.memory_bound ? "memory" : "arithmetic", point.roof_tflops,
      point.peak_tflops, point.ridge);
}

std::string roofline_text(const std::vector<RooflinePoint>& points, const DeviceFacts& device) {
  constexpr int kColumns = 60, kRows = 14;
  std::vector<std::string> picture(kRows, std::string(kColumns + 1, ' '));
  const Height height = height_of(device);
  const auto put = [&](double intensity, double tflops, char sign) {
    const auto column = static_cast<std::size_t>(std::lround(place_of(intensity) * kColumns));
    const auto row = static_cast<std::size_t>(std::lround(height.of(tflops) * (kRows - 1)));
    picture[kRows - 1 - row][column] = sign;
  };
  for (int i = 0; i <= kColumns; ++i) {
    const double intensity = kLeft * std::pow(kRight / kLeft, static_cast<double>(i) / kColumns);
    put(intensity, at_most(intensity, device.fp32_tflops, device), '.');
  }
  std::string legend;
  char letter = 'A';
  for (const RooflinePoint& point : points) {
    if (point.intensity == 0 || letter > 'Z') continue;
    put(point.intensity, point.roof_tflops, letter);
    legend += fmt::format("  {}  {}: {}\n", letter++, point.label, roofline_sentence(point));
  }
  std::string text = fmt::format("roofline of {}: {:g} TFLOP/s single precision, {:g} GB/s\n",
                                 device.name, device.fp32_tflops, device.memory_gb_per_s);
  for (const std::string& line : picture) text += "  |" + line + "\n";
  text += "  +" + std::string(kColumns + 1, '-') + "\n";
  text += fmt::format("   {:<28g}{:^6}{:>27g}\n", kLeft, "FLOP/byte", kRight);
  return text + legend;
}

std::string roofline_svg(const std::vector<RooflinePoint>& points, const DeviceFacts& device) {
  constexpr double kWidth = 640, kHigh = 360, kEdge = 48;
  const Height height = height_of(device);
  const auto x = [&](double intensity) {
    return kEdge + place_of(intensity) * (kWidth - 2 * kEdge);
  };
  const auto y = [&](double tflops) {
    return kHigh - kEdge - height.of(tflops) * (kHigh - 2 * kEdge);
  };
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "aria-label=\"roofline of {2}\" font-family=\"sans-serif\" font-size=\"11\">\n",
      kWidth, kHigh, svg_text(device.name));
  const auto roof = [&](double peak, std::string_view name) {
    if (peak <= 0) return;
    const double ridge = peak * kTera / (device.memory_gb_per_s * kGiga);
    svg += fmt::format(
        "<polyline fill=\"none\" stroke=\"#555\" points=\"{:.1f},{:.1f} {:.1f},{:.1f} "
        "{:.1f},{:.1f}\"/>\n<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{} {:g} "
        "TFLOP/s</text>\n",
        x(kLeft), y(memory_roof(kLeft, device)), x(ridge), y(peak), x(kRight), y(peak), x(kRight),
        y(peak) - 4, name, peak);
  };
  roof(device.fp32_tflops, "SP");
  roof(device.fp64_tflops, "DP");
  roof(device.half_tensor_tflops, "tensor");
  for (double tick = kLeft; tick <= kRight * 1.01; tick *= 10)
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:g}</text>\n",
                       x(tick), kHigh - kEdge + 16, tick);
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">FLOP/byte</text>\n",
                     kWidth / 2, kHigh - 12);
  for (const RooflinePoint& point : points) {
    if (point.intensity == 0) continue;
    svg += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"#c33\"><title>{}</title></circle>\n"
        "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        x(point.intensity), y(point.roof_tflops),
        svg_text(point.label + ": " + roofline_sentence(point)), x(point.intensity) + 6,
        y(point.roof_tflops) + 12, svg_text(point.label));
  }
  return svg + "</svg>\n";
}

}  // namespace warpwright::flop
