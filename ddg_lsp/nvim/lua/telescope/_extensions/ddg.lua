-- `:Telescope ddg`
return require('telescope').register_extension({
  exports = {
    ddg = function(options)
      require('ddg.adapters.telescope').open({
        text = options and options.default_text or '',
        bufnr = vim.api.nvim_get_current_buf(),
        telescope = options,
      })
    end,
  },
})
